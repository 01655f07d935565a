import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, until } from '../../support/processes.ts';
import { openVanishing, type VanishingDatabase } from '../../support/vanishing.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { loadReceived, type Responses } from '../received.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

/** How the connections of web or of the workers go silent. */
type Silence = { of: 'web' | 'worker'; by: 'one backend stopped' | 'all backends stopped' | 'packets dropped' };

type Options = { perSecond: number; silentMs: number; settings: Record<string, string> };

/** What a silence led to: accepted orders and the slowest response meanwhile, readiness, and the first order after its end. */
type Silenced = Silence & { accepted: number; slowestMs: number; isReported: boolean; backMs: number };

type Vanished = Responses & { silenced: Silenced[]; orders: Audit };

const RESPONSE_WITHIN_MS = 5_000;
const BACK_WITHIN_MS = 15_000;
const FLOWING = 10;
const READY_WITHIN_MS = 30_000;
const SILENCES: Silence[] = (['web', 'worker'] as const).flatMap((of) =>
  (['one backend stopped', 'all backends stopped', 'packets dropped'] as const).map((by) => ({ of, by })),
);

/** Orders go on while connections to the database stay open and carry nothing: of web, then of the workers. */
export async function tradeThroughSilence({ perSecond, silentMs, settings }: Options): Promise<Vanished> {
  const database = await openVanishing();
  const named = (of: Silence['of']) => ({ DATABASE_URL: `${database.ways[of].url}?application_name=${of}` });
  const stage = await openStage({
    database,
    webs: 2,
    workers: 0,
    settings: { ...settings, METRICS_PORT: '0', LOG_LEVEL: 'info', ...named('web') },
  });
  let isOver = false;
  try {
    for (let n = 0; n < 2; n += 1) await stage.startWorker(named('worker'));
    const { load, judge } = await loadReceived(stage, perSecond, () => isOver);
    await flow(stage, load);
    const silences: (Silenced & { from: number; to: number })[] = [];
    for (const silence of SILENCES) silences.push(await silenced(silence, { database, stage, load, silentMs }));
    isOver = true;
    const received = await judge();
    await allSettled(stage, 120_000);
    const silencedThen = silences.map(({ from, to, ...each }) => {
      const then = received.times.filter(({ at, ms }) => at >= from && at - ms <= to);
      return {
        ...each,
        accepted: then.filter(({ status, at }) => status < 300 && at <= to).length,
        slowestMs: Math.max(...then.map(({ ms }) => ms)),
      };
    });
    return { ...received, silenced: silencedThen, orders: await auditOrders(stage, received.taken) };
  } finally {
    isOver = true;
    await stage.close();
  }
}

type Scenery = { database: VanishingDatabase; stage: Stage; load: Promise<unknown>; silentMs: number };

async function silenced({ of, by }: Silence, { database, stage, load, silentMs }: Scenery) {
  const processes = of === 'web' ? stage.webs : [...stage.workers];
  const from = Date.now();
  const end = by === 'packets dropped' ? await dropPackets(database, of) : await stopBackends(stage, of, by);
  await sleep(silentMs / 2);
  const isReported = by !== 'packets dropped' || (await failing(processes)) === processes.length;
  await sleep(Math.max(0, from + silentMs - Date.now()));
  await end();
  const to = Date.now();
  await flow(stage, load);
  const backMs = (stage.upstream.ledger.entries().find(({ at }) => at > to)?.at ?? Number.NaN) - to;
  await until('readiness', async () => (await failing(processes)) === 0, READY_WITHIN_MS);
  return { of, by, from, to, isReported, backMs, accepted: 0, slowestMs: 0 };
}

async function dropPackets({ ways }: VanishingDatabase, of: Silence['of']): Promise<() => Promise<void>> {
  await ways[of].drop();
  return () => ways[of].carry();
}

/**
 * Stops server processes that wait for their client; new connections get new ones. One that is stopped in the middle of a commit
 * would hold the log of the whole server, which no client can do anything about. Those that the service has thrown away end
 * when they go on.
 */
async function stopBackends({ rows }: Stage, of: Silence['of'], by: Silence['by']): Promise<() => Promise<void>> {
  const names = [of, ...(by === 'all backends stopped' ? OTHERS[of] : [])];
  const found = await rows<{ pid: number }>(
    `select pid from pg_stat_activity where client_addr is not null and application_name = any($1) order by query_start desc`,
    [names],
  );
  const pids = found.map(({ pid }) => pid).slice(0, by === 'one backend stopped' ? 1 : found.length);
  if (pids.length === 0) throw new Error(`${of} has no connections`);
  for (const pid of pids) await until(`a stop of ${pid}`, () => stopWaiting({ rows }, pid));
  return async () => {
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}

/** Connections of a process beside its pool, by what they are for. */
const OTHERS = { web: ['settlements'], worker: ['queue', 'queue news', 'worker liveness'] };

/** True once it is stopped or gone; null, and it goes on, if it was stopped in a statement. */
async function stopWaiting({ rows }: Pick<Stage, 'rows'>, pid: number): Promise<true | null> {
  if (!signal(pid, 'SIGSTOP')) return true;
  const [backend] = await rows<{ is_waiting: boolean }>(
    `select wait_event is not distinct from 'ClientRead' as is_waiting from pg_stat_activity where pid = $1`,
    [pid],
  );
  if (backend?.is_waiting) return true;
  signal(pid, 'SIGCONT');
  return null;
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // it has ended
  }
}

/** How many of these processes say in their readiness that the database is away. */
async function failing(processes: readonly Running[]): Promise<number> {
  const said = await Promise.all(
    processes.map(async (each) => {
      const { metrics_port: port } = JSON.parse(await each.waitForLine(/metrics server is listening/));
      const reply = await fetch(`http://127.0.0.1:${port}/readyz`);
      return reply.status === 503 && (await reply.text()).includes('"database"');
    }),
  );
  return said.filter(Boolean).length;
}

/** Waits for some more orders at the venue, or for the end of the load by a fault. */
const flow = ({ upstream }: Stage, load: Promise<unknown>) => {
  const before = upstream.ledger.entries().length;
  const more = () => upstream.ledger.entries().length >= before + FLOWING || null;
  return Promise.race([until('orders at the venue', more, 120_000), load.then(() => null)]);
};

/** Whether every request had a response in time, orders flowed again, and nothing was lost, doubled or reported wrong. */
export function silenceVerdicts({ silenced, taken, responses, misinformed, orders }: Vanished): Verdict[] {
  const { forgotten, lost, doubled, denied, strange } = orders;
  const flowsOn = (each: Silenced) => each.by === 'packets dropped' || each.accepted > 0;
  return [
    {
      promise: 'R14',
      text: 'connections to the database that stay open and carry nothing',
      figure: silenced
        .map(
          ({ of, by, accepted, slowestMs, isReported, backMs }) =>
            `${of}, ${by}: ${accepted} accepted meanwhile, slowest response ${seconds(slowestMs)}, ${isReported ? '' : 'readiness did not report it, '}back ${seconds(backMs)} after the end`,
        )
        .join('; '),
      bound: `responses within ${seconds(RESPONSE_WITHIN_MS)}, other connections keep working, readiness reports it, back within ${seconds(BACK_WITHIN_MS)}`,
      kept: silenced.every(
        (each) =>
          each.slowestMs <= RESPONSE_WITHIN_MS && each.backMs <= BACK_WITHIN_MS && each.isReported && flowsOn(each),
      ),
    },
    {
      promise: 'R14',
      text: 'the orders meanwhile',
      figure: `${taken.length} accepted, ${JSON.stringify(orders)}; responses ${JSON.stringify(responses)}, ${misinformed} denied an effect`,
      bound: '0 accepted lost, 0 doubled, 0 reported wrong',
      kept: taken.length > 0 && forgotten + lost + doubled + denied + strange + misinformed === 0,
    },
  ];
}
