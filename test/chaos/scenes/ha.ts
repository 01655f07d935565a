import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../src/db/migrate.ts';
import { type Cluster, openCluster } from '../../support/cluster.ts';
import { until } from '../../support/processes.ts';
import { type Audit, auditOrders, quantile } from '../audit.ts';
import { loadReceived, type Responses } from '../received.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

/** What is done to the primary, by the title of its block in the guide. */
export type Failure = 'switch over' | 'kill' | 'freeze' | 'cut off';

type Options = { failures: readonly Failure[]; perSecond: number; settings: Record<string, string> };

/**
 * A failure, and the longest pause between two orders at the venue from its begin until the cluster was whole again. `primaries`:
 * the hosts that would have accepted a write, each asked by itself, once there was another primary.
 */
type Survived = { failure: Failure; pauseMs: number; primaries: number };

type Endured = Responses & { survived: Survived[]; orders: Audit };

const FLOWING = 10; // orders at the venue after which they count as flowing
const FLOWING_WITHIN_MS = 120_000;
const BACK_WITHIN_MS = 30_000;
const CUT_OFF_MS = 60_000;
const HOSTS = ['db1', 'db2', 'db3'];

/**
 * Orders go on while the primary of the guide's cluster is handed over, killed with its host, frozen, and cut off from the
 * network; its host returns each time before the next failure.
 */
export async function tradeThroughFailures({ failures, perSecond, settings }: Options): Promise<Endured> {
  const cluster = await openCluster();
  const stage = await openTrading(cluster, settings);
  let isOver = false;
  try {
    const { load, judge } = await loadReceived(stage, perSecond, () => isOver);
    const flowing = () => flow(stage, load);
    await flowing();
    const survived: Survived[] = [];
    for (const failure of failures) survived.push(await survive(failure, { cluster, stage, flowing }));
    isOver = true;
    const received = await judge();
    await allSettled(stage, 120_000);
    return { ...received, survived, orders: await auditOrders(stage, received.taken) };
  } finally {
    isOver = true;
    await stage.close();
  }
}

async function openTrading(cluster: Cluster, settings: Record<string, string>): Promise<Stage> {
  try {
    await migrate(cluster.url);
    return await openStage({ database: cluster, webs: 2, workers: 2, settings });
  } catch (error) {
    await cluster.drop();
    throw error;
  }
}

type Scenery = { cluster: Cluster; stage: Stage; flowing(): Promise<unknown> };

async function survive(failure: Failure, { cluster, stage, flowing }: Scenery): Promise<Survived> {
  const primary = await cluster.primary();
  const beganAt = Date.now();
  const said = failure === 'switch over' ? await handOver(cluster) : await cluster.run(failure, primary);
  await until(
    `another primary than ${primary}, after: ${failure} ${said}`,
    () =>
      cluster.primary().then(
        (name) => name !== primary || null,
        () => null,
      ),
    FLOWING_WITHIN_MS,
  );
  await flowing();
  const isWritable = await Promise.all(HOSTS.map((host) => failure !== 'freeze' && cluster.isWritable(host)));
  if (failure === 'cut off') await sleep(Math.max(0, beganAt + CUT_OFF_MS - Date.now()));
  if (failure !== 'switch over') await cluster.run(`after the ${failure}`, primary);
  await cluster.whole();
  await flowing();
  return { failure, pauseMs: longestPause(stage, beganAt), primaries: isWritable.filter(Boolean).length };
}

/** Hands over as often as the guide says: a request that is declined, such as at a moment without a healthy standby, is repeated. */
const handOver = (cluster: Cluster) =>
  until(
    'a hand-over that is not declined',
    async () => {
      const said = await cluster.run('switch over', 'db1');
      return /failed, details/.test(said) ? null : said;
    },
    FLOWING_WITHIN_MS,
  );

/** Waits for some more orders at the venue, or for the end of the load by a fault. */
const flow = ({ upstream }: Stage, load: Promise<unknown>) => {
  const before = upstream.ledger.entries().length;
  const more = () => upstream.ledger.entries().length >= before + FLOWING || null;
  return Promise.race([until('orders at the venue', more, FLOWING_WITHIN_MS), load.then(() => null)]);
};

function longestPause({ upstream }: Stage, since: number): number {
  const times = upstream.ledger.entries().map(({ at }) => at);
  const from = Math.max(
    0,
    times.findLastIndex((at) => at <= since),
  );
  const shown = times.slice(from);
  return Math.max(...shown.slice(1).map((at, n) => at - (shown[n] ?? at)));
}

/** Whether orders flowed again in time after every failure, and nothing was lost, doubled or reported wrong. */
export function enduranceVerdicts({ survived, taken, responses, misinformed, orders }: Endured): Verdict[] {
  const pauses = survived.map(({ pauseMs }) => pauseMs);
  const { forgotten, lost, doubled, denied, strange } = orders;
  return [
    {
      promise: 'R13',
      text: 'Patroni, etcd and HAProxy: the primary is handed over, and killed, frozen or cut off with its host',
      figure: `longest pause of orders ${survived.map(({ failure, pauseMs }) => `${failure} ${seconds(pauseMs)}`).join(', ')}; at most ${Math.max(...survived.map(({ primaries }) => primaries))} accepting writes`,
      bound: 'orders flow within 30 s (p95), never two primaries',
      kept: quantile(pauses, 0.95) <= BACK_WITHIN_MS && survived.every(({ primaries }) => primaries <= 1),
    },
    {
      promise: 'R13',
      text: 'the orders meanwhile',
      figure: `${taken.length} accepted, ${JSON.stringify(orders)}; responses ${JSON.stringify(responses)}, ${misinformed} denied an effect`,
      bound: '0 accepted lost, 0 doubled, 0 reported wrong',
      kept: taken.length > 0 && forgotten + lost + doubled + denied + strange + misinformed === 0,
    },
  ];
}
