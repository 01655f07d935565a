import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { auditOrders } from './audit.ts';
import { allSettled, openStage, placeOne, type Stage, type WorkerProcess } from './stage.ts';

const STOPPED_MS = Number(process.env.CHAOS_STOPPED_MS ?? 0); // at least; it lasts until everything has been taken over
const AT_ONCE = 4; // sends one worker has under way; as many jobs again wait in its memory
const TRADERS = 2 * AT_ONCE;

describe('a worker that is stopped in the middle of its sends and woken after others took over', function () {
  this.timeout(60_000 + STOPPED_MS);
  let stage: Stage;
  before(async () => {
    stage = await openStage({
      workers: 1,
      party: { processingMs: 1_500 },
      settings: {
        TRADING_CONCURRENCY: String(AT_ONCE),
        NETVENUE_PATIENCE_MS: '60000',
        NETVENUE_IN_FLIGHT_MS: '5000',
        ORDER_DEADLINE_MS: '60000',
      },
    });
  });
  after(() => stage.close());

  it('writes nothing stale, registers again and works on', async () => {
    const [stopped] = [...stage.workers] as [WorkerProcess];
    const traders = await stage.traders(TRADERS);
    await Promise.all([...traders, ...traders].map((trader) => placeOne(trader)));
    await until('sends under way', async () => (await sending(stage)) === AT_ONCE || null);

    stopped.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const heir = await stage.startWorker();
    await allSettled(stage, 45_000);
    const stoppedMs = Math.round(performance.now() - stoppedAt);
    await sleep(Math.max(0, STOPPED_MS - stoppedMs));
    const before = await everything(stage);

    stopped.kill('SIGCONT');
    await until('the sends to end in the woken worker', () => placements(stopped) >= AT_ONCE || null);
    await until('its registration', () => registered(stage, stopped));
    const takenOver = before.intents.filter(({ fence }) => fence > 1).length;
    console.log(`      stopped for ${stoppedMs} ms; ${takenOver} of ${before.intents.length} intents claimed again`);
    expect(takenOver).to.be.at.least(AT_ONCE);
    expect(await everything(stage)).to.deep.equal(before);

    heir.kill('SIGTERM');
    expect(await heir.exited).to.deep.equal({ code: 0, signal: null });
    await Promise.all(traders.map((trader) => placeOne(trader)));
    await allSettled(stage, 20_000);
    expect(await auditOrders(stage)).to.deep.equal({
      orders: 3 * TRADERS,
      states: { succeeded: 3 * TRADERS },
      lost: 0,
      doubled: 0,
      denied: 0,
      strange: 0,
    });
  });
});

type Everything = { intents: { fence: number }[]; orders: object[]; lanes: object[] };

const everything = async ({ rows }: Stage): Promise<Everything> => ({
  intents: await rows<{ fence: number }>('select * from intents order by id'),
  orders: await rows('select * from orders order by id'),
  lanes: await rows('select * from lanes order by name'),
});

async function sending({ rows }: Stage): Promise<number> {
  return (await rows(`select from intents where state = 'running' and sending_at is not null`)).length;
}

const placements = ({ lines }: WorkerProcess) => lines.filter((line) => line.includes('"task":"orders/place"')).length;

async function registered({ rows }: Stage, { id }: WorkerProcess): Promise<true | null> {
  return (await rows('select from worker_processes where id = $1', [id])).length === 1 || null;
}
