import { quantile } from '../../chaos/audit.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { type Line, openLine } from './line.ts';
import { interleaved, pairsOf } from './noise.ts';

/** Servers beside the service's edge. Only `validated` has any code of the service. */
const REFERENCES = { koa: 'koa', fastify: 'fastify', grouped: 'fastify-grouped', validated: 'validated' };

const CONNECTIONS = 50;
const TRADERS = 5_000;
const PAIRS = ['BTCUSDC', 'ETHUSDC', 'SOLUSDC', 'XRPUSDC', 'DOGEUSDC'];
// As many lanes as traders and pairs, more than orders in a round: each order is the first of its lane, and so has a
// job like the order of the bare route.
const MARKS = { ratio: 4, floor: 1.5, grouped: 0.5, p99: 0.5, alone: 1.1 };

type Size = { rounds: number; roundMs: number; alone: number };
const FULL: Size = { rounds: 6, roundMs: 3_000, alone: 300 };
const SMALL: Size = { rounds: 5, roundMs: 500, alone: 40 };

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
    const sides: Record<string, Target> = { service: await serviceTarget(arena, await arena.serve()) };
    for (const [name, script] of Object.entries(REFERENCES)) sides[name] = await bareTarget(arena, script);
    const once = (target: Target) => () =>
      measure(target, size).finally(() => target === sides.service && emptyLanes(arena));
    for (const target of Object.values(sides)) await crowd(target, size.roundMs / 2); // warm-up
    await emptyLanes(arena);
    const rounds = await interleaved(size.rounds, mapped(sides, once));
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

const BARE_HEADERS = { 'Trader-ID': '1', Prefer: 'wait=0' };

/** A bare route, served by a file of the bench. */
async function bareTarget(arena: Arena, script: string): Promise<Target> {
  const line = openLine(await arena.serve(`test/tools/bench/references/${script}.ts`), CONNECTIONS);
  return { place: (n) => expect202(line, { path: '/orders', headers: BARE_HEADERS, body: bodyOf(n) }) };
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
export async function crowd(
  { place }: Target,
  forMs: number,
  callers = CONNECTIONS,
): Promise<{ perSecond: number; ms: number[] }> {
  const ms: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const ask = async () => {
    while (performance.now() - startedAt < forMs) ms.push(await timed(() => place(next++)));
  };
  await Promise.all(Array.from({ length: callers }, ask));
  return { perSecond: ms.length / ((performance.now() - startedAt) / 1_000), ms };
}

/** Duration of a call in milliseconds. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}

const mapped = <From, To>(members: Record<string, From>, change: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));

function figures(rounds: Record<string, Round>[]): Figures {
  const held = (reference: string, figure: keyof Round) =>
    ratioOf(pairsOf(rounds, ['service', reference], (round) => round[figure]));
  const rate = (reference: string) => ({
    what: `accepted, beside ${reference}`,
    unit: '/s',
    ...held(reference, 'perSecond'),
  });
  const alone = (reference: string) => ({
    what: `one alone, p50, beside ${reference}`,
    unit: 'ms',
    ...held(reference, 'alone'),
  });
  return {
    name: 'P1',
    title: `durable acceptance of orders (Prefer: wait=0), ${CONNECTIONS} connections; koa and fastify insert and queue a job, grouped shares commits, validated keeps nothing`,
    rows: [
      atLeast(MARKS.ratio, rate('koa'), MARKS.floor),
      atLeast(MARKS.grouped, rate('grouped')),
      atMost(MARKS.p99, { what: 'p99, beside koa', unit: 'ms', ...held('koa', 'p99') }),
      atMost(MARKS.alone, alone('koa')),
      ...['fastify', 'validated'].flatMap((reference) => [reported(rate(reference)), reported(alone(reference))]),
      reported(alone('grouped')),
    ],
  };
}
