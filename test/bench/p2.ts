import { setTimeout as sleep } from 'node:timers/promises';
import { netvenue } from '../../src/adapters/netvenue/index.ts';
import { quantile } from '../chaos/audit.ts';
import { KEYS } from '../support/service.ts';
import { type Arena, openArena } from './arena.ts';
import type { Figures } from './figures.ts';
import { openLine } from './line.ts';

export type Length = { seconds: number; warmupSeconds: number };

const PER_SECOND = 50;
const PROCESSING_MS = 50; // the venue's own work on an order
const TRADERS = 250;
const DIRECT_EVERY = 5; // one call straight to the venue for this many through the service
const BOUNDS = { p50: 15, p99: 60 };

/**
 * P2: what the service adds to the venue's own time. Orders leave by the clock, 50 a second, whether or not the earlier
 * ones are answered; beside them others go straight to the venue, through the same adapter.
 */
export async function measureP2(
  { seconds, warmupSeconds }: Length = { seconds: 20, warmupSeconds: 3 },
): Promise<Figures> {
  const arena = await openArena({ processingMs: PROCESSING_MS });
  try {
    const place = await throughService(arena);
    const direct = await straightToVenue(arena);
    await openLoop(warmupSeconds, place, direct);
    const { served, reached } = await openLoop(seconds, place, direct);
    return figures(served, reached);
  } finally {
    await arena.close();
  }
}

type Call = (n: number) => Promise<void>;

async function throughService(arena: Arena): Promise<Call> {
  const url = await arena.serve();
  arena.startWorker();
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(url, PER_SECOND);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return async (n) => {
    const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': String(ids[n % ids.length]) };
    const { status, text } = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
}

async function straightToVenue({ party }: Arena): Promise<Call> {
  const venue = netvenue({ ...KEYS, minerUrl: party.minerUrl, validatorUrl: party.validatorUrl });
  const ids = party.addSubaccounts(TRADERS);
  return async (n) => {
    const answer = await venue.submit({
      order_uuid: crypto.randomUUID(),
      subaccount_id: ids[n % ids.length] ?? 0,
      execution_type: 'MARKET',
      trade_pair: 'BTCUSDC',
      order_type: 'LONG',
      leverage: 0.001,
    });
    if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  };
}

/** Milliseconds of every call, through the service and straight to the venue. */
async function openLoop(seconds: number, place: Call, direct: Call): Promise<{ served: number[]; reached: number[] }> {
  const served: Promise<number>[] = [];
  const reached: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < seconds * PER_SECOND; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / PER_SECOND - performance.now()));
    served.push(timed(() => place(n)));
    if (n % DIRECT_EVERY === 0) reached.push(timed(() => direct(n)));
  }
  return { served: await Promise.all(served), reached: await Promise.all(reached) };
}

/** Milliseconds until a call has ended. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}

function figures(served: number[], reached: number[]): Figures {
  const venue = quantile(reached, 0.5);
  const added = served.map((ms) => ms - venue);
  const [p50, p99] = [quantile(added, 0.5), quantile(added, 0.99)];
  return {
    name: 'P2',
    what: `what the service adds to the venue's own time, ${PER_SECOND} orders/s`,
    values: {
      orders: served.length,
      venue_p50_ms: venue,
      venue_p99_ms: quantile(reached, 0.99),
      round_trip_p50_ms: quantile(served, 0.5),
      round_trip_p99_ms: quantile(served, 0.99),
      added_p50_ms: p50,
      added_p99_ms: p99,
      ratio_p50: quantile(served, 0.5) / venue,
    },
    promise: `added p50 ≤ ${BOUNDS.p50} ms, p99 ≤ ${BOUNDS.p99} ms`,
    kept: p50 <= BOUNDS.p50 && p99 <= BOUNDS.p99,
  };
}
