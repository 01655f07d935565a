import { setTimeout as sleep } from 'node:timers/promises';
import { netvenue } from '../../src/adapters/network/index.ts';
import { quantile } from '../chaos/audit.ts';
import { KEYS } from '../support/service.ts';
import { type Arena, openArena } from './arena.ts';
import { below, type Extent, type Figures, reported } from './figures.ts';
import { openLine } from './line.ts';
import { timed } from './p1.ts';

type Length = { seconds: number; warmupSeconds: number };
const FULL: Length = { seconds: 20, warmupSeconds: 3 };
const SMALL: Length = { seconds: 3, warmupSeconds: 2 };

const PER_SECOND = 50;
const PROCESSING_MS = 50; // the venue's own work on an order
const TRADERS = 250;
const DIRECT_EVERY = 5; // one call directly to the venue for this many through the service
const MARKS = { p50Ms: 15, ceilingMs: 100, p99Ms: 60 };

/**
 * P2: what the service adds to the venue's own time. Orders are sent at a fixed rate, 50 a second, whether or not
 * earlier ones have a response; others go directly to the venue at the same time, through the same adapter.
 */
export async function measureP2({ small }: Extent): Promise<Figures> {
  const arena = await openArena({ processingMs: PROCESSING_MS });
  try {
    const url = await arena.serve();
    arena.startWorker();
    const trips = await openTrips(arena, url);
    const { seconds, warmupSeconds } = small ? SMALL : FULL;
    await trips(warmupSeconds);
    return figures(await trips(seconds));
  } finally {
    await arena.close();
  }
}

/** Milliseconds of every call, through the service and directly to the venue. */
type Trips = { served: number[]; reached: number[] };

/**
 * Creates traders who call the service at an address; the returned function sends their orders at a fixed rate for a
 * number of seconds.
 */
export async function openTrips(arena: Arena, url: string): Promise<(seconds: number) => Promise<Trips>> {
  const place = await throughService(arena, url);
  const direct = await straightToVenue(arena);
  return (seconds) => openLoop(seconds, place, direct);
}

type Call = (n: number) => Promise<void>;

async function throughService(arena: Arena, url: string): Promise<Call> {
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(url, PER_SECOND);
  const body = JSON.stringify({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
  return async (n) => {
    const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': String(ids[n % ids.length]) };
    const { status, text } = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
}

async function straightToVenue({ upstream }: Arena): Promise<Call> {
  const venue = netvenue({ ...KEYS, minerUrl: upstream.minerUrl, validatorUrl: upstream.validatorUrl });
  const ids = upstream.addSubaccounts(TRADERS);
  return async (n) => {
    const response = await venue.submit({
      order_uuid: crypto.randomUUID(),
      subaccount_id: ids[n % ids.length] ?? 0,
      execution_type: 'MARKET',
      trade_pair: 'BTCUSDC',
      order_type: 'LONG',
      leverage: 0.001,
    });
    if (response.kind !== 'accepted') throw new Error(JSON.stringify(response));
  };
}

async function openLoop(seconds: number, place: Call, direct: Call): Promise<Trips> {
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

function figures({ served, reached }: Trips): Figures {
  const venueMs = quantile(reached, 0.5);
  const added = (share: number) => ({ figure: quantile(served, share) - venueMs, unit: 'ms' });
  const trip = (share: number) => {
    const [figure, reference] = [quantile(served, share), quantile(reached, share)];
    return { figure, reference, ratio: figure / reference, unit: 'ms' };
  };
  return {
    name: 'P2',
    title: `an order's way through the service and straight to the venue, ${PER_SECOND} orders/s, ${served.length} orders`,
    rows: [
      below(MARKS.p50Ms, { what: 'added to the venue’s own time, p50', ...added(0.5) }, MARKS.ceilingMs),
      below(MARKS.p99Ms, { what: 'added to the venue’s own time, p99', ...added(0.99) }),
      reported({ what: 'round trip, p50', ...trip(0.5) }),
      reported({ what: 'round trip, p99', ...trip(0.99) }),
    ],
  };
}
