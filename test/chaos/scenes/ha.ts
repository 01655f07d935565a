import { randomUUID } from 'node:crypto';
import { migrate } from '../../../src/db/migrate.ts';
import type { Caller, Reply } from '../../support/caller.ts';
import { type Cluster, openCluster } from '../../support/cluster.ts';
import { until } from '../../support/processes.ts';
import { type Audit, auditOrders, quantile } from '../audit.ts';
import { acknowledged, atPace } from '../load.ts';
import { allSettled, openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

/** What is done to the primary, by the title of its block in the guide. */
export type Failure = 'switch over' | 'kill' | 'freeze';

type Options = { failures: readonly Failure[]; perSecond: number; settings: Record<string, string> };

/** A failure, and the longest pause between two orders at the venue from its begin until the cluster was whole again. */
type Survived = { failure: Failure; pauseMs: number };

/** What came of the orders. `misinformed`: responses that denied an effect that the order had or came to have. */
export type Endured = {
  survived: Survived[];
  taken: number;
  responses: Map<string, number>;
  misinformed: number;
  orders: Audit;
};

/** A response, and which intents it was about: those of an id of the caller, or of one request. */
type Received = { about: { id: string } | { request: string }; at: number; status: number; effect: string };

const TRADERS = 30;
const FLOWING = 10; // orders at the venue after which they count as flowing
const FLOWING_WITHIN_MS = 120_000;
const BACK_WITHIN_MS = 30_000;

/**
 * Orders go on while the primary of the guide's cluster is handed over, killed with its host, and frozen; its host returns
 * each time before the next failure.
 */
export async function tradeThroughFailures({ failures, perSecond, settings }: Options): Promise<Endured> {
  const cluster = await openCluster();
  const stage = await openTrading(cluster, settings);
  const received: Received[] = [];
  let isOver = false;
  try {
    const traders = await stage.traders(TRADERS);
    const load = atPace({ perSecond, goOn: () => !isOver }, (n) => placeOneOf(traders, n, received));
    load.catch(() => {}); // reported below
    const flowing = () => flow(stage, load);
    await flowing();
    const survived: Survived[] = [];
    for (const failure of failures) survived.push(await survive(failure, { cluster, stage, flowing }));
    isOver = true;
    const taken = (await load).filter((id) => id !== null);
    await allSettled(stage, 120_000);
    const orders = await auditOrders(stage, taken);
    return {
      survived,
      taken: taken.length,
      responses: tally(received),
      misinformed: await countMisinformed(stage, received),
      orders,
    };
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
  await cluster.run(failure, failure === 'switch over' ? 'db1' : primary);
  await until(
    'another primary',
    () =>
      cluster.primary().then(
        (name) => name !== primary || null,
        () => null,
      ),
    FLOWING_WITHIN_MS,
  );
  await flowing();
  if (failure !== 'switch over') await cluster.run(`after the ${failure}`, primary);
  await cluster.whole();
  await flowing();
  return { failure, pauseMs: longestPause(stage, beganAt) };
}

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

/**
 * Two of three callers give their order an id: one repeats it until it is accepted, the other only until a response says that
 * nothing happened. The third sends its order once and without an id. Returns the id of an accepted intent.
 */
async function placeOneOf(traders: Caller[], n: number, received: Received[]): Promise<string | null> {
  const trader = traders[n % TRADERS];
  if (!trader) throw new Error('There is at least one');
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };
  if (n % 3 === 0) {
    const request = randomUUID();
    const headers = { 'X-Request-Id': request };
    const reply = await trader.post(ORDERS, order, { prefer: 'wait=0', headers });
    return note(received, { request }, reply).status === 503 ? null : acknowledged(async () => reply);
  }
  const id = randomUUID();
  const ask = async () =>
    note(received, { id }, await trader.post(ORDERS, { ...order, order_uuid: id }, { prefer: 'wait=0' }));
  if (n % 3 === 1) return acknowledged(ask);
  const reply = await ask();
  return effectOf(reply) === 'none'
    ? null
    : acknowledged(() => (reply.status === 503 ? ask() : Promise.resolve(reply)));
}

const ORDERS = '/v1/orders/netvenue';

const effectOf = ({ body }: Reply): string => String(body?.error?.effect);

function note(received: Received[], about: Received['about'], reply: Reply): Reply {
  received.push({ about, at: Date.now(), status: reply.status, effect: effectOf(reply) });
  return reply;
}

const tally = (received: Received[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { status, effect } of received) {
    const name = status === 503 ? `503 ${effect}` : String(status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
};

/** The responses of `none` about an order that was on record when they arrived. */
async function countMisinformed({ rows }: Stage, received: Received[]): Promise<number> {
  const intents = await rows<{ id: string; request_id: string; at: number }>(
    `select id, request_id, extract(epoch from created_at)::float8 * 1000 as at from intents`,
  );
  const recorded = new Map(intents.flatMap(({ id, request_id, at }) => [[id, at] as const, [request_id, at] as const]));
  const recordedAt = ({ about }: Received) =>
    recorded.get('id' in about ? about.id : about.request) ?? Number.POSITIVE_INFINITY;
  return received.filter((each) => each.effect === 'none' && recordedAt(each) <= each.at).length;
}

/** Whether orders flowed again in time after every failure, and nothing was lost, doubled or reported wrong. */
export function enduranceVerdicts({ survived, taken, responses, misinformed, orders }: Endured): Verdict[] {
  const pauses = survived.map(({ pauseMs }) => pauseMs);
  const { forgotten, lost, doubled, denied, strange } = orders;
  return [
    {
      promise: 'R13',
      text: 'Patroni, etcd and HAProxy: the primary is handed over, killed and frozen with its host',
      figure: `longest pause of orders ${survived.map(({ failure, pauseMs }) => `${failure} ${seconds(pauseMs)}`).join(', ')}`,
      bound: 'orders flow within 30 s (p95)',
      kept: quantile(pauses, 0.95) <= BACK_WITHIN_MS,
    },
    {
      promise: 'R13',
      text: 'the orders meanwhile',
      figure: `${taken} accepted, ${JSON.stringify(orders)}; responses ${JSON.stringify(Object.fromEntries(responses))}, ${misinformed} denied an effect`,
      bound: '0 accepted lost, 0 doubled, 0 reported wrong',
      kept: taken > 0 && forgotten + lost + doubled + denied + strange + misinformed === 0,
    },
  ];
}
