import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Exit, until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { allSettled, openStage, placeOne, type Stage, type WorkerProcess } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

const AT_ONCE = 4; // sends in flight of one worker; as many more jobs wait in its memory
const TRADERS = 2 * AT_ONCE;

type Rows = { intents: { fence: number }[]; orders: object[]; lanes: object[] };

/** The result of a worker that was stopped and resumed. */
export type Stopped = {
  stoppedMs: number;
  /** Intents that another worker claimed meanwhile; there must be as many as it was sending. */
  takenOver: number;
  sending: number;
  /** All rows before it was resumed, and after it had ended its sends. */
  before: Rows;
  after: Rows;
  /** How the other worker ended; the resumed one then did all the work. */
  successor: Exit;
  requested: number;
  audit: Audit;
};

/** Stops a worker in the middle of its sends, resumes it once everything has been taken over, and lets it continue. */
export async function stopAndResume(atLeastMs: number): Promise<Stopped> {
  const stage = await openStage({
    workers: 1,
    upstream: { processingMs: 1_500 },
    settings: {
      TRADING_CONCURRENCY: String(AT_ONCE),
      NETVENUE_PATIENCE_MS: '60000',
      NETVENUE_IN_FLIGHT_MS: '5000',
      ORDER_DEADLINE_MS: '60000',
    },
  });
  try {
    const [stopped] = [...stage.workers] as [WorkerProcess];
    const traders = await stage.traders(TRADERS);
    const arrived = arrivals(stage);
    await Promise.all([...traders, ...traders].map((trader) => placeOne(trader)));
    await until('sends under way at the venue', () => arrived() === AT_ONCE || null);

    stopped.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const successor = await stage.startWorker();
    await allSettled(stage, 60_000);
    await sleep(Math.max(0, stoppedAt + atLeastMs - performance.now()));
    const stoppedMs = performance.now() - stoppedAt;
    const before = await everything(stage);

    stopped.kill('SIGCONT');
    await until('the sends to end in the continued worker', () => placements(stopped) >= AT_ONCE || null);
    await until('its registration', () => registered(stage, stopped));
    const after = await everything(stage);

    successor.kill('SIGTERM');
    const exit = await successor.exited;
    await Promise.all(traders.map((trader) => placeOne(trader)));
    await allSettled(stage, 20_000);
    return {
      stoppedMs,
      takenOver: before.intents.filter(({ fence }) => fence > 1).length,
      sending: AT_ONCE,
      before,
      after,
      successor: exit,
      requested: 3 * TRADERS,
      audit: await auditOrders(stage),
    };
  } finally {
    await stage.close();
  }
}

const everything = async ({ rows }: Stage): Promise<Rows> => ({
  intents: await rows<{ fence: number }>('select * from intents order by id'),
  orders: await rows('select * from orders order by id'),
  lanes: await rows('select * from lanes order by name'),
});

/** Counts the orders that have reached the venue, executed or not. */
function arrivals({ upstream: { faults } }: Stage): () => number {
  const { next } = faults;
  let arrived = 0;
  faults.next = (call) => {
    if (call.includes('submit-order')) arrived += 1;
    return next(call);
  };
  return () => arrived;
}

const placements = ({ lines }: WorkerProcess) => lines.filter((line) => line.includes('"task":"network/place"')).length;

async function registered({ rows }: Stage, { id }: WorkerProcess): Promise<true | null> {
  return (await rows('select from worker_processes where id = $1', [id])).length === 1 || null;
}

/** Whether it wrote anything stale. */
export function staleVerdict({ stoppedMs, takenOver, sending, before, after, audit, requested }: Stopped): Verdict {
  const same = isDeepStrictEqual(before, after);
  const { states, lost, doubled, denied, strange } = audit;
  return {
    promise: 'R3',
    text: 'a worker stopped in the middle of its sends and continued',
    figure:
      `${seconds(stoppedMs)}, ${takenOver} intents claimed by another; rows ${same ? 'identical' : 'changed'} when it woke; ` +
      `${states.succeeded} of ${requested} orders executed, ${lost} lost, ${doubled} duplicated`,
    bound: 'writes nothing stale',
    kept: same && takenOver >= sending && states.succeeded === requested && lost + doubled + denied + strange === 0,
  };
}
