import { type Running, startScript, until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { writingTo } from '../support/webhooks.ts';
import { emitSteadily, lateness, manyEndpoints, quantile, type Reported } from '../webhooks/load.ts';
import { type Arena, openArena } from './arena.ts';
import { below, type Extent, type Figures, reported } from './figures.ts';

const ENDPOINTS = 100;
const IN_FLIGHT = 100; // of the client alone: the same number as of the worker
const STEADY_PER_S = 100;
const MARK_MS = 250;
const DELIVERED_WITHIN_MS = 300_000;

type Size = { queued: number; steadyS: number };
const FULL: Size = { queued: 20_000, steadyS: 10 };
const SMALL: Size = { queued: 2_000, steadyS: 2 };

/**
 * P4: deliveries of one worker to 100 endpoints, next to the HTTP client alone with the same bodies; and their latency.
 */
export async function measureP4({ small }: Extent): Promise<Figures> {
  const { queued, steadyS } = small ? SMALL : FULL;
  const arena = await openArena();
  try {
    const receiver = await startReceiver();
    const alone = await clientAlone(receiver, queued);
    const worker = arena.startWorker({ WORKER_RUNNERS: 'outbound', LOG_LEVEL: 'info' });
    await worker.waitForLine(/worker is running/);
    const deliveries = await openOutbound(arena, receiver);
    await deliveries.perS(queued / 4); // warm-up
    const figure = await deliveries.perS(queued);
    const late = await deliveries.lateness(steadyS);
    await receiver.close();
    return figures({ figure, reference: alone }, late);
  } finally {
    await arena.close();
  }
}

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
  const client: Running = startScript('test/bench/webhook-client.ts', {}, args);
  const { perS } = JSON.parse(await client.waitForLine(/perS/, DELIVERED_WITHIN_MS)) as { perS: number };
  return perS;
}

type Load = { receiver: Receiver; endpoints: Reported[]; queued: number };

async function deliveredPerS({ query }: Arena, { receiver, endpoints, queued }: Load): Promise<number> {
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

async function latenessOf(
  { query }: Arena,
  { receiver, endpoints, seconds }: Omit<Load, 'queued'> & { seconds: number },
): Promise<number[]> {
  const emit = async (app: string, type: string, data = {}) => {
    await query('select emit_event($1, $2, $3)', [app, type, JSON.stringify(data)]);
  };
  receiver.ledger.splice(0);
  const emitted = await emitSteadily({ emit }, endpoints, { perS: STEADY_PER_S, forS: seconds, seed: 2 });
  await until('all deliveries', () => receiver.ledger.length >= emitted, DELIVERED_WITHIN_MS);
  return receiver.ledger.map(lateness);
}

function figures(throughput: { figure: number; reference: number }, late: number[]): Figures {
  const ratio = throughput.figure / throughput.reference;
  return {
    name: 'P4',
    title: `webhook deliveries to ${ENDPOINTS} endpoints, beside the HTTP client alone`,
    rows: [
      reported({ what: 'delivered', unit: '/s', ...throughput, ratio }),
      below(MARK_MS, {
        what: `event to first byte at ${STEADY_PER_S}/s, p95`,
        unit: 'ms',
        figure: quantile(late, 0.95),
      }),
      reported({ what: `event to first byte at ${STEADY_PER_S}/s, p50`, unit: 'ms', figure: quantile(late, 0.5) }),
    ],
  };
}
