import { quantile } from '../chaos/audit.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, below, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { type Line, openLine } from './line.ts';

/** Routes that do the work of an acceptance without any code of the service. The first is the one the promise names. */
const REFERENCES = [
  { name: 'Koa', script: 'test/bench/bare.ts' },
  { name: 'fastify', script: 'test/bench/bare-fastify.ts' },
] as const;

const CONNECTIONS = 50;
const TRADERS = 5_000;
const PAIRS = ['BTCUSDC', 'ETHUSDC', 'SOLUSDC', 'XRPUSDC', 'DOGEUSDC'];
// As many lanes as traders and pairs, more than orders in a round: each order is the first of its lane, and so has a
// job like the order of the bare route.
const MARKS = { ratio: 3, floor: 1.5, p99Ms: 30, alone: 1.2 };

type Size = { rounds: number; roundMs: number; alone: number };
const FULL: Size = { rounds: 5, roundMs: 4_000, alone: 300 };
const SMALL: Size = { rounds: 1, roundMs: 600, alone: 40 };

/** A server and the function that places one order with it. */
export type Target = { place(n: number): Promise<void> };
type Round = { perSecond: number; p99: number; alone: number };

/**
 * P1: how fast orders are accepted durably, next to bare routes that do an insert and a job in a transaction per
 * request.
 */
export async function measureP1({ small }: Extent): Promise<Figures> {
  const size = small ? SMALL : FULL;
  const arena = await openArena();
  try {
    const targets = [await serviceTarget(arena, await arena.serve())];
    for (const { script } of REFERENCES) targets.push(await bareTarget(arena, script));
    for (const target of targets) await crowd(target, size.roundMs / 2); // warm-up
    await emptyLanes(arena);
    const rounds: Round[][] = [];
    for (let round = 0; round < size.rounds; round++) {
      const found: Round[] = [];
      for (const target of targets) found.push(await measure(target, size));
      rounds.push(found);
      await emptyLanes(arena);
    }
    return figures(rounds);
  } finally {
    await arena.close();
  }
}

/** The service's edge at an address, with its own traders to place orders for. */
export async function serviceTarget(arena: Arena, url: string): Promise<Target> {
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(url, CONNECTIONS);
  return {
    place: (n) => {
      const trader = String(ids[n % ids.length]);
      const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': trader, Prefer: 'wait=0' };
      return expect202(line, { path: '/v1/orders/netvenue', headers, body: bodyOf(Math.floor(n / ids.length)) });
    },
  };
}

/** Puts the database in the state after all accepted orders were executed. */
export const emptyLanes = (arena: Arena) => arena.query('truncate lanes').then(() => arena.query('vacuum analyze'));

/** A bare route, served by a file of the bench. */
async function bareTarget(arena: Arena, script: string): Promise<Target> {
  const line = openLine(await arena.serve(script), CONNECTIONS);
  return { place: (n) => expect202(line, { path: '/orders', headers: {}, body: bodyOf(n) }) };
}

const bodyOf = (n: number) =>
  JSON.stringify({ trade_pair: PAIRS[n % PAIRS.length], order_type: 'LONG', leverage: 0.001 });

type RequestContext = { path: string; headers: Record<string, string>; body: string };

async function expect202(line: Line, context: RequestContext): Promise<void> {
  const { status, text } = await line.ask({ method: 'POST', ...context });
  if (status !== 202) throw new Error(`${status} ${text}`);
}

async function measure(target: Target, { roundMs, alone }: Size): Promise<Round> {
  const { perSecond, ms } = await crowd(target, roundMs);
  const single: number[] = [];
  for (let n = 0; n < alone; n++) single.push(await timed(() => target.place(n)));
  return { perSecond, p99: quantile(ms, 0.99), alone: quantile(single, 0.5) };
}

/** Every connection sends the next request as soon as it has a response. */
export async function crowd({ place }: Target, forMs: number): Promise<{ perSecond: number; ms: number[] }> {
  const ms: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const ask = async () => {
    while (performance.now() - startedAt < forMs) ms.push(await timed(() => place(next++)));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return { perSecond: ms.length / ((performance.now() - startedAt) / 1_000), ms };
}

/** Duration of a call in milliseconds. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}

function figures(rounds: Round[][]): Figures {
  const beside = REFERENCES.slice(1).flatMap(({ name }, n) => [
    reported({ what: `accepted, beside ${name}`, unit: '/s', ...held(rounds, n + 2, 'perSecond') }),
    reported({ what: `one alone, p50, beside ${name}`, unit: 'ms', ...held(rounds, n + 2, 'alone') }),
  ]);
  return {
    name: 'P1',
    title: `durable acceptance of orders (Prefer: wait=0), ${CONNECTIONS} connections, beside a bare ${REFERENCES[0].name} route`,
    rows: [
      atLeast(MARKS.ratio, { what: 'accepted', unit: '/s', ...held(rounds, 1, 'perSecond') }, MARKS.floor),
      below(MARKS.p99Ms, { what: 'p99', unit: 'ms', ...held(rounds, 1, 'p99') }),
      atMost(MARKS.alone, { what: 'one alone, p50', unit: 'ms', ...held(rounds, 1, 'alone') }),
      ...beside,
    ],
  };
}

/** Medians over the rounds: of the service, which is first, of one reference, and of their ratio. */
function held(rounds: Round[][], reference: number, figure: keyof Round) {
  const pairs = rounds.map(
    (found) => [found[0]?.[figure] ?? Number.NaN, found[reference]?.[figure] ?? Number.NaN] as const,
  );
  return ratioOf(pairs);
}
