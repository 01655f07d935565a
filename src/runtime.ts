import pino, { type Logger } from 'pino';
import type { FreeAccountOffer } from './accounts/prop/intents.ts';
import type { Exvenue } from './adapters/exvenue/types.ts';
import type { Mailer } from './adapters/mail/types.ts';
import type { Netvenue } from './adapters/netvenue/types.ts';
import type { Processor } from './adapters/processor/types.ts';
import type { Registrar } from './adapters/registrar/types.ts';
import type { Webhooks } from './adapters/webhook/types.ts';
import { type AdminFinder, adminFinder } from './admin/queries.ts';
import { findNetworkIdentity, findOwnEntity } from './apps/network/queries.ts';
import { type AppFinder, appFinder, type ClientFinder, clientFinder } from './apps/queries.ts';
import type { Config } from './config.ts';
import { type Db, openPool, openPooledPool } from './db/pool.ts';
import { listenForSettlements } from './db/settled.ts';
import { type Throttle, throttle } from './db/throttles.ts';
import { type Readiness, readiness } from './health/readiness.ts';
import { type Accept, acceptance, type Offer } from './intents/accept.ts';
import type { Carrier } from './intents/carry-out.ts';
import { watchEndings } from './intents/endings.ts';
import { intentReader } from './intents/read.ts';
import { type Until, untilEnded, type Wait, waiting } from './intents/wait.ts';
import { toldError } from './kernel/errors.ts';
import { Refusal } from './kernel/refusals.ts';
import { type Sealer, sealer } from './kernel/seal.ts';
import { watchListening, watchPool } from './metrics/process.ts';
import type { Metrics } from './metrics/registry.ts';
import type { ExchangeOffer } from './orders/exvenue/intents.ts';
import type { NetworkOffer } from './orders/intents.ts';
import { type Parties, partiesOf } from './parties.ts';
import { type PartnerFinder, partnerFinder } from './partners/queries.ts';
import type { CheckoutOffer } from './payments/intents.ts';
import { type VenueReads, venueReads } from './portfolio/reads.ts';
import type { RegistrationOffer } from './registration/intents.ts';
import type { TradingOffer } from './trading/intents.ts';
import { type TraderFinder, traderFinder } from './trading/keys/queries.ts';
import { openStreams, type Streams } from './trading/stream/hub.ts';
import { type UserFinder, userFinder } from './users/queries.ts';
import { laneStepper, type StepLane } from './webhooks/outcomes.ts';
import { openPace, type Pace } from './webhooks/pace.ts';

type Common = {
  config: Config;
  log: Logger;
  db: Db;
  sealer: Sealer;
  exvenue: Exvenue;
  registrar: Registrar;
  webhooks: Webhooks;
  /** Null where no processor is configured: nothing is sold then. */
  processor: Processor | null;
  /** Reads of venues: one call under way per question, its answer good for about a second. */
  reads: VenueReads;
  metrics: Metrics;
  readiness: Readiness;
  close(): Promise<void>;
};

/** What the web process works with. */
export type WebRuntime = Common & {
  partners: PartnerFinder;
  clients: ClientFinder;
  apps: AppFinder;
  users: UserFinder;
  traders: TraderFinder;
  admins: AdminFinder;
  throttle: Throttle;
  acceptIntent: Accept<Offer>;
  acceptNetworkOrder: Accept<NetworkOffer>;
  acceptExchangeOrder: Accept<ExchangeOffer>;
  acceptRegistration: Accept<RegistrationOffer>;
  acceptCheckout: Accept<CheckoutOffer>;
  acceptFreeAccount: Accept<FreeAccountOffer>;
  acceptTradingOrder: Accept<TradingOffer>;
  /** Streams of events to readers; closed before the edge is emptied. */
  streams: Streams;
  wait: Wait;
  until: Until;
  /** Ends waits for intents within two seconds, as if their time were up. */
  stop(): void;
};

/** The network: the platform's own miner, and those of tenants with an identity of their own there. One validator knows them all. */
type Venues = {
  netvenue: Netvenue;
  /** The entity an owner's subaccounts are made under. */
  entityOf(owner: string): Promise<string>;
  /** The miner of an entity; null where we have no key for it. */
  of(entityHotkey: string): Promise<Netvenue | null>;
  /** The miner of a subaccount's entity. */
  ofTrader(syntheticHotkey: string): Promise<Netvenue | null>;
};

/** What tasks work with. `stop` makes calls under way end as in doubt. */
export type WorkerRuntime = Common &
  Carrier & { venues: Venues; mailer: Mailer; stepLane: StepLane; pace: Pace; stop(): void };

/** The process's logger: JSON lines on standard output, secrets struck out wherever a field bears their name. */
export const openLog = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger =>
  pino({
    level: LOG_LEVEL,
    base: null,
    redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    serializers: { err: toldError },
  });

const SECRET_NAMES = ['authorization', 'password', 'private_key', 'secret', 'token', 'key', 'code'];
const SECRET_FIELDS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

function networkVenues(
  config: Config,
  parties: Parties,
  platform: Netvenue,
  keeper: { db: Db; sealer: Sealer },
): Venues {
  const of = async (entityHotkey: string) => {
    if (entityHotkey === config.NETVENUE_ENTITY_HOTKEY) return platform;
    const own = await findNetworkIdentity(keeper, entityHotkey);
    return own && parties.netvenue(own);
  };
  return {
    netvenue: platform,
    entityOf: async (owner) => (await findOwnEntity(keeper.db, owner)) ?? config.NETVENUE_ENTITY_HOTKEY,
    of,
    ofTrader: (syntheticHotkey) => of(syntheticHotkey.slice(0, syntheticHotkey.lastIndexOf('_'))),
  };
}

/** The processor, for what cannot be done without one. Refuses where none is configured. */
export function processorOf({ processor }: Pick<Common, 'processor'>): Processor {
  if (!processor) throw new Refusal('V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  return processor;
}

const poolState = (db: Db) => () => {
  const { acquiredConnections, idleConnections, waitingClients } = db.state();
  return { acquired: acquiredConnections, idle: idleConnections, waiting: waitingClients };
};

/** Builds what the web process works with; `close` gives everything back. */
export async function openWebRuntime(config: Config, log: Logger, metrics: Metrics): Promise<WebRuntime> {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const open = config.DATABASE_POOLER === 'transaction' ? openPooledPool : openPool;
  const db = await open(config.DATABASE_URL, config.WEB_POOL_SIZE, onError);
  const settlements = listenForSettlements(config.directUrl, onError);
  const streams = openStreams({ db, settlements, log }, config.STREAM_HEARTBEAT_MS);
  const watching = [
    watchPool(metrics, { name: 'web', limit: config.WEB_POOL_SIZE, state: poolState(db) }),
    watchListening(metrics, { isListening: settlements.isListening, streams: streams.count }),
  ];
  const parties = partiesOf(config, metrics, log);
  const venue = parties.netvenue();
  const stopping = new AbortController();
  return {
    config,
    log,
    metrics,
    readiness: readiness(db, config),
    db,
    sealer: sealer(config.SEALING_KEYS),
    exvenue: parties.exvenue,
    registrar: parties.registrar,
    webhooks: parties.webhooks,
    processor: parties.processor,
    partners: partnerFinder(db),
    clients: clientFinder(db),
    apps: appFinder(db),
    users: userFinder(db),
    traders: traderFinder(db),
    admins: adminFinder(db),
    throttle: throttle(db, config.THROTTLE_SCALE),
    acceptIntent: acceptance(db, 'accept_intents'),
    acceptNetworkOrder: acceptance(db, 'accept_network_orders'),
    acceptExchangeOrder: acceptance(db, 'accept_exchange_orders'),
    acceptRegistration: acceptance(db, 'accept_registrations'),
    acceptCheckout: acceptance(db, 'accept_checkouts'),
    acceptFreeAccount: acceptance(db, 'accept_free_accounts'),
    acceptTradingOrder: acceptance(db, 'accept_trading_orders'),
    streams,
    wait: waiting(intentReader(db), settlements, stopping.signal),
    until: untilEnded(settlements, stopping.signal),
    reads: venueReads(venue, parties.exvenue, config.VENUE_READ_MS),
    stop: () => stopping.abort(),
    async close() {
      for (const unwatch of watching) unwatch();
      streams.close();
      await settlements.close();
      await db.end();
    },
  };
}

/** Builds what tasks work with; `close` waits for late answers that are still recorded, then gives everything back. */
export async function openWorkerRuntime(config: Config, log: Logger, metrics: Metrics): Promise<WorkerRuntime> {
  const db = await openPool(config.directUrl, config.WORKER_POOL_SIZE, (err) =>
    log.warn({ err }, 'database connection'),
  );
  const stopping = new AbortController();
  const late = new Set<Promise<unknown>>();
  const unwatch = watchPool(metrics, { name: 'worker', limit: config.WORKER_POOL_SIZE, state: poolState(db) });
  watchEndings(db, ({ kind, ending, seconds }) => metrics.intents.observe({ kind, ending }, seconds));
  const parties = partiesOf(config, metrics, log);
  const venue = parties.netvenue();
  const mail = parties.openMailer();
  const ring = sealer(config.SEALING_KEYS);
  return {
    config,
    log,
    metrics,
    readiness: readiness(db, config),
    db,
    sealer: ring,
    mailer: mail,
    webhooks: parties.webhooks,
    processor: parties.processor,
    stepLane: laneStepper(db),
    pace: openPace(config.OUTBOUND_PER_S),
    exvenue: parties.exvenue,
    registrar: parties.registrar,
    venues: networkVenues(config, parties, venue, { db, sealer: ring }),
    reads: venueReads(venue, parties.exvenue, config.VENUE_READ_MS),
    patienceMs: config.NETVENUE_PATIENCE_MS,
    inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
    stopping: stopping.signal,
    late,
    stop: () => stopping.abort(),
    async close() {
      unwatch();
      stopping.abort();
      await Promise.all(late);
      mail.close();
      parties.webhooks.close();
      await db.end();
    },
  };
}
