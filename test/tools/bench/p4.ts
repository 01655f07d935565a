import { type Running, startScript, until } from '../../support/processes.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { writingTo } from '../../support/webhooks.ts';
import { emitSteadily, lateness, manyEndpoints, quantile, type Reported } from '../../webhooks/load.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';

const ENDPOINTS = 100;
const IN_FLIGHT = 100; // of the client alone: the same number as of the worker
const STEADY_PER_S = 100;
const MARKS = { client: 0.75, lateness: 1.5 };
const DELIVERED_WITHIN_MS = 300_000;

type Size = { rounds: number; queued: number; steadyS: number };
const FULL: Size = { rounds: 5, queued: 10_000, steadyS: 5 };
const SMALL: Size = { rounds: 5, queued: 1_000, steadyS: 1 };

/**
 * P4: deliveries of one worker to 100 endpoints, beside the HTTP client alone with the same bodies; and the time from an
 * event to its first byte, beside the bare chain.
 */
export async function measureP4({ small }: Extent): Promise<Figures> {
  const { rounds, queued, steadyS } = small ? SMALL : FULL;
  const [arena, chain] = [await openArena(), await openArena()];
  try {
    const receiver = await startReceiver();
    const worker = arena.startWorker({ WORKER_RUNNERS: 'outbound', LOG_LEVEL: 'info' });
    await worker.waitForLine(/worker is running/);
    await chain.run('test/tools/bench/references/chain-worker.ts').waitForLine(/is working/);
    const deliveries = await openOutbound(arena, receiver);
    const rates = { service: () => deliveries.perS(queued), client: () => clientAlone(receiver, queued) };
    const late = {
      service: async () => quantiles(await deliveries.lateness(steadyS)),
      chain: async () => quantiles(await chainLateness(chain, receiver, steadyS)),
    };
    await interleaved(1, rates); // warm-up
    await interleaved(1, late);
    const found = figures(await interleaved(rounds, rates), await interleaved(rounds, late));
    await receiver.close();
    return found;
  } finally {
    await arena.close();
    await chain.close();
  }
}

type Late = { p50: number; p95: number };
const quantiles = (late: number[]): Late => ({ p50: quantile(late, 0.5), p95: quantile(late, 0.95) });

/** Deliveries by the worker of an arena to the endpoints of one receiver. */
type Outbound = {
  /** Queues a number of deliveries at once and returns how many per second arrived. */
  perS(queued: number): Promise<number>;
  /** Milliseconds from each event to its first byte, with events at a steady rate for the given time. */
  lateness(seconds: number): Promise<number[]>;
};

/** Creates the endpoints. */
export async function openOutbound(arena: Arena, receiver: Receiver): Promise<Outbound> {
  const endpoints = await manyEndpoints(writingTo(arena.query, arena.settings), receiver.url, ENDPOINTS);
  return {
    perS: (queued) => deliveredPerS(arena, { receiver, endpoints, queued }),
    lateness: (seconds) => latenessOf(arena, { receiver, endpoints, seconds }),
  };
}

async function clientAlone({ url }: Receiver, posts: number): Promise<number> {
  const args = [url, ENDPOINTS, posts, IN_FLIGHT].map(String);
  const client: Running = startScript('test/tools/bench/webhook-client.ts', {}, args);
  const { perS } = JSON.parse(await client.waitForLine(/perS/, DELIVERED_WITHIN_MS)) as { perS: number };
  return perS;
}

type Load = { receiver: Receiver; endpoints: Reported[]; queued: number };

async function deliveredPerS({ query }: Arena, { receiver, endpoints, queued }: Load): Promise<number> {
  await ended(query);
  receiver.ledger.splice(0);
  await query(
    `select count(emit_event(app, 'bench', jsonb_build_object('n', n)))
     from unnest($1::text[]) app, generate_series(1, $2::integer) n`,
    [endpoints.map(({ app }) => app), queued / ENDPOINTS],
  );
  await until('all deliveries', () => receiver.ledger.length >= queued, DELIVERED_WITHIN_MS);
  const [first, last] = [receiver.ledger[0]?.at ?? 0, receiver.ledger.at(-1)?.at ?? 0];
  return queued / ((last - first) / 1_000);
}

type Steady = { receiver: Receiver; endpoints: Reported[]; seconds: number };

/** Waits until the worker has recorded everything: what is queued next would meet its locks. */
const ended = (query: Arena['query']) =>
  until(
    'every delivery ended and every job gone',
    async () => {
      const [row] = await query<{ open: boolean }>(OPEN);
      return row?.open === false;
    },
    DELIVERED_WITHIN_MS,
  );

const OPEN = `
  select exists (select from webhook_deliveries where state in ('pending', 'sending'))
    or exists (select from queue_jobs where task = 'webhooks/deliver') as open`;

const latenessOf = ({ query }: Arena, { receiver, endpoints, seconds }: Steady): Promise<number[]> =>
  steadily({ receiver, endpoints, seconds }, (app, type, data) =>
    query('select emit_event($1, $2, $3)', [app, type, JSON.stringify(data)]),
  );

/** The same events, through the bare chain. */
const chainLateness = ({ query }: Arena, receiver: Receiver, seconds: number): Promise<number[]> =>
  steadily({ receiver, endpoints: chainEndpoints(receiver.url), seconds }, (url, type, data) =>
    query(CHAIN_EVENT, [url, type, JSON.stringify(data)]),
  );

const chainEndpoints = (url: string): Reported[] =>
  Array.from({ length: ENDPOINTS }, (_, n) => ({ app: `${url}/${n}`, id: String(n), secret: '', path: `/${n}` }));

const CHAIN_EVENT = `
  with event as (
    insert into chain_events (url, body)
    values ($1, json_build_object('type', $2::text, 'data', $3::json, 'timestamp', now()))
    returning id
  )
  select graphile_worker.add_job('bench/chain-deliver', json_build_object('id', id)) from event`;

async function steadily(
  { receiver, endpoints, seconds }: Steady,
  emit: (...event: [string, string, object]) => Promise<unknown>,
) {
  receiver.ledger.splice(0);
  const emitted = await emitSteadily({ emit }, endpoints, { perS: STEADY_PER_S, forS: seconds, seed: 2 });
  await until('all deliveries', () => receiver.ledger.length >= emitted, DELIVERED_WITHIN_MS);
  return receiver.ledger.map(lateness);
}

function figures(rates: Record<'service' | 'client', number>[], late: Record<'service' | 'chain', Late>[]): Figures {
  const lateBy = (of: keyof Late) => ({
    what: `event to first byte at ${STEADY_PER_S}/s, ${of}, beside the bare chain`,
    unit: 'ms',
    ...ratioOf(pairsOf(late, ['service', 'chain'], (found) => found[of])),
  });
  return {
    name: 'P4',
    title: `webhook deliveries to ${ENDPOINTS} endpoints, beside the HTTP client alone and the bare chain`,
    rows: [
      atLeast(MARKS.client, {
        what: 'delivered, beside the client alone',
        unit: '/s',
        ...ratioOf(pairsOf(rates, ['service', 'client'], (perS) => perS)),
      }),
      atMost(MARKS.lateness, lateBy('p95')),
      reported(lateBy('p50')),
    ],
  };
}
