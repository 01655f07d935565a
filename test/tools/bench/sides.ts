import { setTimeout as sleep } from 'node:timers/promises';
import { netvenue } from '../../../src/venues/network/adapter/index.ts';
import { quantile } from '../../chaos/audit.ts';
import { KEYS } from '../../support/service.ts';
import { type Arena, openArena } from './arena.ts';
import { openLine } from './line.ts';
import { timed } from './p1.ts';

/** One call, the nth. */
type Call = (n: number) => Promise<void>;

/** A whole system for orders, and the same venue without it. */
export type Side = { arena: Arena; place: Call; direct: Call };

const PROCESSING_MS = 50; // the venue's own work on an order
const CONNECTIONS = 400;
const TRADERS = 250;
const DIRECT_EVERY = 5; // one call directly to the venue for this many through the system
/** More than the systems use at once: what is measured is not the line before a miner of ten threads. */
const MINER_THREADS = '200';

const ORDER = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 } as const;

/** The service and both chains, each with a database server and a venue of its own, so that none disturbs another. */
export async function openSides() {
  const sides = { service: await openService(), chain: await openChain('bare'), honest: await openChain('honest') };
  const arenas = Object.values(sides).map(({ arena }) => arena);
  return {
    ...sides,
    close: async () => {
      for (const arena of arenas) await arena.close();
    },
  };
}

/** What the service is measured beside: the least that keeps an order, and the least that keeps what a service has to. */
export const CHAINS = { chain: 'the bare chain', honest: 'the honest chain' } as const;
export type Chain = keyof typeof CHAINS;

async function openService(): Promise<Side> {
  const arena = await openArena({ processingMs: PROCESSING_MS });
  const url = await arena.serve();
  const worker = arena.startWorker({ NETVENUE_MINER_THREADS: MINER_THREADS, LOG_LEVEL: 'info' });
  await worker.waitForLine(/worker is running/);
  return serviceSide(arena, url);
}

/** The service at an address, with traders of its own. */
export async function serviceSide(arena: Arena, url: string): Promise<Side> {
  const { key, ids } = await arena.traders(TRADERS);
  const line = openLine(url, CONNECTIONS);
  const body = JSON.stringify(ORDER);
  const place: Call = async (n) => {
    const headers = { Authorization: `Bearer ${key}`, 'Trader-ID': String(ids[n % ids.length]) };
    const { status, text } = await line.ask({ method: 'POST', path: '/v1/orders/netvenue', headers, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
  return { arena, place, direct: straightToVenue(arena) };
}

/** One of the chains: test/tools/bench/references/chain-web.ts and chain-worker.ts. */
async function openChain(kind: 'bare' | 'honest'): Promise<Side> {
  const settings = { CHAIN: kind };
  const arena = await openArena({ processingMs: PROCESSING_MS });
  const line = openLine(await arena.serve('test/tools/bench/references/chain-web.ts', settings), CONNECTIONS);
  await arena.run('test/tools/bench/references/chain-worker.ts', settings).waitForLine(/is working/);
  const ids = arena.upstream.addSubaccounts(TRADERS);
  const place: Call = async (n) => {
    const body = JSON.stringify({ ...ORDER, execution_type: 'MARKET', subaccount_id: ids[n % ids.length] });
    const { status, text } = await line.ask({ method: 'POST', path: '/orders', headers: {}, body });
    if (status !== 200) throw new Error(`${status} ${text}`);
  };
  return { arena, place, direct: straightToVenue(arena) };
}

function straightToVenue({ upstream }: Arena): Call {
  const venue = netvenue({ ...KEYS, minerUrl: upstream.minerUrl, validatorUrl: upstream.validatorUrl });
  const ids = upstream.addSubaccounts(TRADERS);
  return async (n) => {
    const order_uuid = crypto.randomUUID();
    const signal = { ...ORDER, execution_type: 'MARKET' as const, order_uuid, subaccount_id: ids[n % ids.length] ?? 0 };
    const response = await venue.submit(signal);
    if (response.kind !== 'accepted') throw new Error(JSON.stringify(response));
  };
}

/** Milliseconds: the round trip through a system, the venue's own time meanwhile, and what the system added to it. */
export type Trip = { trip: number; venue: number; added: { p50: number; p99: number } };

/** Sends orders at a fixed rate, whether or not earlier ones have a response; some go directly to the venue. */
export async function tripsOf({ place, direct }: Side, perSecond: number, seconds: number): Promise<Trip> {
  const served: Promise<number>[] = [];
  const reached: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < seconds * perSecond; n++) {
    const dueMs = startedAt + (n * 1_000) / perSecond - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    served.push(timed(() => place(n)));
    if (n % DIRECT_EVERY === 0) reached.push(timed(() => direct(n)));
  }
  const [trips, venues] = [await Promise.all(served), await Promise.all(reached)];
  const venue = quantile(venues, 0.5);
  const added = (share: number) => quantile(trips, share) - venue;
  return { trip: quantile(trips, 0.5), venue, added: { p50: added(0.5), p99: added(0.99) } };
}
