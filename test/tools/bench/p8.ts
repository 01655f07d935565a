import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../chaos/audit.ts';
import { until } from '../../support/processes.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, type Extent, type Figures, type Row, ratioOf, reported } from './figures.ts';
import { openLine, type Reported } from './line.ts';

const THREADS = 10; // of the miner: it is what limits the orders carried out
const PROCESSING_MS = 50;
const CLOSED = 60; // callers at once that find the best rate, each with its next order after its last
const CONNECTIONS = 10_000;
const TRADERS = 500;
const OVERLOAD = 5;
const IDLE_PER_S = 10;
const WAIT_S = 5; // of each caller for the outcome
const DEADLINE_MS = 500; // of an order; one that is expected to wait for half of it is rejected at once
const DRAINED_MS = 60_000;
const AT_ONCE_MS = 250;
const MARKS = { served: 0.9, p99: 5, rejected: 1 };

type Size = { rounds: number; seconds: number };
const FULL: Size = { rounds: 5, seconds: 5 };
const SMALL: Size = { rounds: 5, seconds: 1 };

type Reply = { status: number; ms: number; hasDelay: boolean };
type Found = { best: number; idleP99: number; served: number; acceptedP99: number; rejected: number; accepted: number };

/** P8: five times the orders that the venue can carry out; beside the best rate, and an idle service. */
export async function measureP8({ small }: Extent): Promise<Figures> {
  const { rounds, seconds } = small ? SMALL : FULL;
  const arena = await openArena({ processingMs: PROCESSING_MS, threads: THREADS });
  try {
    const place = await openService(arena);
    await bestRate(place, 1_000); // warm-up
    const found: Found[] = [];
    for (let round = 0; round < rounds; round++) found.push(await measure(arena, place, seconds));
    return figures(found);
  } finally {
    await arena.close();
  }
}

type PlaceOrder = () => Promise<Reply>;

async function openService(arena: Arena): Promise<PlaceOrder> {
  const settings = { NETVENUE_MINER_THREADS: String(THREADS), ORDER_DEADLINE_MS: String(DEADLINE_MS) };
  const url = await arena.serve('src/web.ts', settings);
  await arena.startWorker({ ...settings, LOG_LEVEL: 'info' }).waitForLine(/worker is running/);
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(url, CONNECTIONS);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  let n = 0;
  return async () => {
    const trader = String(ids[n++ % ids.length]);
    const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': trader, Prefer: `wait=${WAIT_S}` };
    const startedAt = performance.now();
    const reported = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
    return { status: reported.status, ms: performance.now() - startedAt, hasDelay: hasDelay(reported) };
  };
}

/** Whether a rejection says when to retry. */
const hasDelay = ({ status, head }: Reported) => [429, 503].includes(status) && /^retry-after: \d+/im.test(head);

async function measure(arena: Arena, place: PlaceOrder, seconds: number): Promise<Found> {
  const idle = await steady(place, IDLE_PER_S, seconds * 2);
  const best = await bestRate(place, seconds * 1_000);
  const before = await carriedOut(arena);
  const startedAt = performance.now();
  const replying = steady(place, best * OVERLOAD, seconds);
  await sleep(seconds * 1_000);
  const served = ((await carriedOut(arena)) - before) / ((performance.now() - startedAt) / 1_000);
  const replies = await replying;
  await drained(arena);
  const accepted = replies.filter(({ status }) => status < 300);
  const rest = replies.filter(({ status }) => status >= 300);
  const rejected = rest.filter(({ hasDelay, ms }) => hasDelay && ms <= AT_ONCE_MS);
  return {
    best,
    served,
    idleP99: p99(idle),
    acceptedP99: p99(accepted),
    accepted: accepted.length / replies.length,
    rejected: rest.length === 0 ? 1 : rejected.length / rest.length,
  };
}

const p99 = (replies: Reply[]) =>
  quantile(
    replies.map(({ ms }) => ms),
    0.99,
  );

/** Orders at a fixed rate, whether or not earlier ones have a response. */
async function steady(place: PlaceOrder, perSecond: number, seconds: number): Promise<Reply[]> {
  const replies: Promise<Reply>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueMs = startedAt + (n * 1_000) / perSecond - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    replies.push(place());
  }
  return Promise.all(replies);
}

/** Orders carried out per second while callers send each its next order after its last. */
async function bestRate(place: PlaceOrder, forMs: number): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const caller = async () => {
    while (performance.now() - startedAt < forMs) if ((await place()).status === 200) done += 1;
  };
  await Promise.all(Array.from({ length: CLOSED }, caller));
  return done / ((performance.now() - startedAt) / 1_000);
}

async function carriedOut({ query }: Arena): Promise<number> {
  const [row] = await query<{ count: string }>(`select count(*) from intents where state = 'succeeded'`);
  return Number(row?.count);
}

const drained = ({ query }: Arena) =>
  until(
    'no order left',
    async () => (await query('select from intents where settled_at is null limit 1')).length === 0,
    DRAINED_MS,
  );

function figures(found: Found[]): Figures {
  const held = (figure: keyof Found, reference: keyof Found) =>
    ratioOf(found.map((each) => [each[figure], each[reference]] as const));
  const shares = (of: keyof Found) => held(of, of).figure;
  const rejected: Row = {
    ...reported({
      what: 'the rest rejected at once with a time to retry, share',
      unit: '',
      figure: shares('rejected'),
    }),
    mark: `≥ ${MARKS.rejected}`,
    kept: shares('accepted') === 1 ? null : shares('rejected') >= MARKS.rejected, // nothing was rejected
  };
  return {
    name: 'P8',
    title: `${OVERLOAD} times the orders that a miner of ${THREADS} threads can carry out`,
    rows: [
      atLeast(MARKS.served, { what: 'carried out, beside the best rate', unit: '/s', ...held('served', 'best') }),
      atMost(MARKS.p99, { what: 'accepted, p99, beside idle', unit: 'ms', ...held('acceptedP99', 'idleP99') }),
      rejected,
      reported({ what: 'accepted, share', unit: '', figure: shares('accepted') }),
    ],
  };
}
