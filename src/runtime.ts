import pino, { type Logger } from 'pino';
import { netvenue } from './adapters/netvenue/index.ts';
import type { Netvenue, OrderBook } from './adapters/netvenue/types.ts';
import type { Config } from './config.ts';
import { type Db, openPool } from './db/pool.ts';
import { listenForSettlements } from './db/settled.ts';
import { type Accept, acceptance, type Offer } from './intents/accept.ts';
import type { Carrier } from './intents/carry-out.ts';
import { intentReader } from './intents/read.ts';
import { type Wait, waiting } from './intents/wait.ts';
import type { Lookup } from './kernel/answer.ts';
import { fresh } from './kernel/fresh.ts';
import type { NetworkOffer } from './orders/intents.ts';
import { type PartnerFinder, partnerFinder } from './partners/queries.ts';

type Common = { config: Config; log: Logger; db: Db; close(): Promise<void> };

/** What the web process works with. */
export type WebRuntime = Common & {
  partners: PartnerFinder;
  acceptIntent: Accept<Offer>;
  acceptNetworkOrder: Accept<NetworkOffer>;
  wait: Wait;
  /** Reads of venues: one call under way per key, its answer good for about a second. */
  reads: { networkOrders(trader: string): Promise<Lookup<OrderBook>> };
};

/** What tasks work with. `stop` makes calls under way end as in doubt. */
export type WorkerRuntime = Common & Carrier & { venues: { netvenue: Netvenue }; stop(): void };

const READ_FRESH_MS = 1_000;

/** The process's logger: JSON lines on standard output, secrets struck out wherever a field bears their name. */
export const openLog = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger =>
  pino({ level: LOG_LEVEL, base: null, redact: { paths: SECRET_FIELDS, censor: '[redacted]' } });

const SECRET_NAMES = ['authorization', 'password', 'private_key', 'secret', 'token', 'key', 'code'];
const SECRET_FIELDS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const platformVenue = (config: Config): Netvenue =>
  netvenue({
    minerUrl: config.NETVENUE_MINER_URL,
    minerKey: config.NETVENUE_MINER_KEY,
    validatorUrl: config.NETVENUE_VALIDATOR_URL,
    validatorKey: config.NETVENUE_VALIDATOR_KEY,
    entityHotkey: config.NETVENUE_ENTITY_HOTKEY,
  });

/** Builds what the web process works with; `close` gives everything back. */
export async function openWebRuntime(config: Config, log: Logger = openLog(config)): Promise<WebRuntime> {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const db = await openPool(config.DATABASE_URL, config.WEB_POOL_SIZE, onError);
  const settlements = listenForSettlements(config.directUrl, onError);
  const venue = platformVenue(config);
  return {
    config,
    log,
    db,
    partners: partnerFinder(db),
    acceptIntent: acceptance(db, 'accept_intents'),
    acceptNetworkOrder: acceptance(db, 'accept_network_orders'),
    wait: waiting(intentReader(db), settlements),
    reads: { networkOrders: fresh(READ_FRESH_MS, (trader: string) => venue.orders(trader)) },
    async close() {
      await settlements.close();
      await db.end();
    },
  };
}

/** Builds what tasks work with; `close` waits for late answers that are still recorded, then gives everything back. */
export async function openWorkerRuntime(config: Config, log: Logger = openLog(config)): Promise<WorkerRuntime> {
  const db = await openPool(config.directUrl, config.WORKER_POOL_SIZE, (err) =>
    log.warn({ err }, 'database connection'),
  );
  const stopping = new AbortController();
  const late = new Set<Promise<unknown>>();
  return {
    config,
    log,
    db,
    venues: { netvenue: platformVenue(config) },
    patienceMs: config.NETVENUE_PATIENCE_MS,
    inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
    stopping: stopping.signal,
    late,
    stop: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all(late);
      await db.end();
    },
  };
}
