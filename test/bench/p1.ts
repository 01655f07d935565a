import { quantile } from '../chaos/audit.ts';
import { type Arena, openArena } from './arena.ts';
import type { Figures } from './figures.ts';
import { type Line, openLine } from './line.ts';
import { timed } from './p2.ts';

const CONNECTIONS = 50;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const ALONE = 300; // requests one after another
const TRADERS = 1_000;
const BOUNDS = { ratio: 3, p99: 30, alone: 1.2 };

type Target = { line: Line; place(n: number): Promise<void> };
type Round = { perSecond: number; p99: number; alone: number };

/** P1: how fast orders are accepted durably, beside a bare route that does an insert and a job in a transaction per request. */
export async function measureP1(): Promise<Figures> {
  const arena = await openArena();
  try {
    const service = await serviceTarget(arena);
    const bare = await bareTarget(arena);
    for (const target of [service, bare]) await crowd(target, ROUND_MS / 2); // warm
    const rounds: { service: Round; bare: Round }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ service: await measure(service), bare: await measure(bare) });
      await arena.query('vacuum analyze');
    }
    return figures(rounds);
  } finally {
    await arena.close();
  }
}

async function serviceTarget(arena: Arena): Promise<Target> {
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(await arena.serve(), CONNECTIONS);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return {
    line,
    place: async (n) => {
      const trader = String(ids[n % ids.length]);
      const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': trader, Prefer: 'wait=0' };
      await must202(line, { path: '/v1/orders/netvenue', headers, body });
    },
  };
}

async function bareTarget(arena: Arena): Promise<Target> {
  const line = openLine(await arena.serve('test/bench/bare.ts'), CONNECTIONS);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return { line, place: () => must202(line, { path: '/orders', headers: {}, body }) };
}

async function must202(
  line: Line,
  ask: { path: string; headers: Record<string, string>; body: string },
): Promise<void> {
  const { status, text } = await line.ask({ method: 'POST', ...ask });
  if (status !== 202) throw new Error(`${status} ${text}`);
}

async function measure(target: Target): Promise<Round> {
  const { perSecond, ms } = await crowd(target, ROUND_MS);
  const alone: number[] = [];
  for (let n = 0; n < ALONE; n++) alone.push(await timed(() => target.place(n)));
  return { perSecond, p99: quantile(ms, 0.99), alone: quantile(alone, 0.5) };
}

/** Every connection asks again as soon as it has its answer. */
async function crowd({ place }: Target, forMs: number): Promise<{ perSecond: number; ms: number[] }> {
  const ms: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const ask = async () => {
    while (performance.now() - startedAt < forMs) ms.push(await timed(() => place(next++)));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return { perSecond: ms.length / ((performance.now() - startedAt) / 1_000), ms };
}

function figures(rounds: { service: Round; bare: Round }[]): Figures {
  const median = (value: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(value), 0.5);
  const ratio = median(({ service, bare }) => service.perSecond / bare.perSecond);
  const alone = median(({ service, bare }) => service.alone / bare.alone);
  const p99 = median(({ service }) => service.p99);
  return {
    name: 'P1',
    what: `durable acceptance of orders (Prefer: wait=0), ${CONNECTIONS} connections, beside a bare Koa route`,
    values: {
      service_per_s: median(({ service }) => service.perSecond),
      bare_per_s: median(({ bare }) => bare.perSecond),
      ratio_per_s: ratio,
      service_p99_ms: p99,
      bare_p99_ms: median(({ bare }) => bare.p99),
      service_alone_p50_ms: median(({ service }) => service.alone),
      bare_alone_p50_ms: median(({ bare }) => bare.alone),
      ratio_alone: alone,
    },
    promise: `ratio ≥ ${BOUNDS.ratio}, p99 ≤ ${BOUNDS.p99} ms, alone ≤ ${BOUNDS.alone} × the bare route`,
    kept: ratio >= BOUNDS.ratio && p99 <= BOUNDS.p99 && alone <= BOUNDS.alone,
  };
}
