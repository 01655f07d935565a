import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Arena, openArena } from './arena.ts';
import { atLeast, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { crowd, emptyLanes, serviceTarget } from './p1.ts';
import { settledPerS } from './p3.ts';
import { cpuMs } from './usage.ts';

/** What tracing may take of P1 and P3. */
const MARK = 0.97;

type Size = { rounds: number; roundMs: number; orders: number };
const FULL: Size = { rounds: 8, roundMs: 3_000, orders: 3_000 };
const SMALL: Size = { rounds: 5, roundMs: 500, orders: 300 };

type Found = { perSecond: number; cpuMs: number };

/** TRACING: acceptance (P1) and settlement (P3) with orders traced to a collector that keeps nothing, beside the same without. */
export async function measureTracing({ small }: Extent): Promise<Figures> {
  const size = small ? SMALL : FULL;
  const collector = await startCollector();
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const accepting = await acceptance(size, traced);
  const settling = await settlement(size, traced);
  const batches = collector.received();
  collector.close();
  if (batches === 0) throw new Error('Nothing was traced');
  const rows = ([what, rounds]: readonly [string, Record<'traced' | 'plain', Found>[]]) => {
    const held = (of: (found: Found) => number) => ratioOf(pairsOf(rounds, ['traced', 'plain'], of));
    return [
      atLeast(MARK, { what, unit: '/s', ...held(({ perSecond }) => perSecond) }),
      reported({ what: `${what}, CPU time of an order`, unit: 'ms', ...held((found) => found.cpuMs) }),
    ];
  };
  return {
    name: 'TRACING',
    title: 'with tracing, beside the same without',
    rows: [...rows(['accepted', accepting]), ...rows(['settled', settling])],
  };
}

async function acceptance({ rounds, roundMs }: Size, traced: Record<string, string>) {
  const arena = await openArena();
  try {
    const sides = { traced: await accepting(arena, roundMs, traced), plain: await accepting(arena, roundMs) };
    await interleaved(1, sides); // warm-up
    return await interleaved(rounds, sides);
  } finally {
    await arena.close();
  }
}

async function accepting(arena: Arena, roundMs: number, settings: Record<string, string> = {}) {
  const target = await serviceTarget(arena, await arena.serve('src/web.ts', settings));
  const pid = arena.pids().at(-1) ?? 0;
  return async (): Promise<Found> => {
    const before = await cpuMs(pid);
    const { perSecond, ms } = await crowd(target, roundMs);
    const cpu = (await cpuMs(pid)) - before;
    await emptyLanes(arena);
    return { perSecond, cpuMs: cpu / ms.length };
  };
}

async function settlement({ rounds, orders }: Size, traced: Record<string, string>) {
  const arenas = { traced: await openArena(), plain: await openArena() };
  const settling = async (arena: Arena, settings: Record<string, string> = {}) => {
    const { ids } = await arena.traders(orders);
    const { pid } = arena.startWorker({ NETVENUE_MINER_THREADS: '200', ...settings });
    return async (): Promise<Found> => {
      const before = await cpuMs(pid);
      const perSecond = await settledPerS(arena, ids);
      return { perSecond, cpuMs: ((await cpuMs(pid)) - before) / orders };
    };
  };
  try {
    const sides = { traced: await settling(arenas.traced, traced), plain: await settling(arenas.plain) };
    await interleaved(1, sides); // warm-up
    return await interleaved(rounds, sides);
  } finally {
    await arenas.traced.close();
    await arenas.plain.close();
  }
}

/** A collector that takes everything and keeps nothing. */
async function startCollector() {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { url: `http://127.0.0.1:${port}`, received: () => received, close: () => server.close() };
}
