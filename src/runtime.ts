import pino, { type Logger } from 'pino';
import type { FreeAccountOffer } from './accounts/prop/intents.ts';
import { exvenue } from './adapters/exvenue/index.ts';
import type { Exvenue } from './adapters/exvenue/types.ts';
import { mailer } from './adapters/mail/index.ts';
import type { Mailer } from './adapters/mail/types.ts';
import { netvenue } from './adapters/netvenue/index.ts';
import type { Netvenue } from './adapters/netvenue/types.ts';
import { processor } from './adapters/processor/index.ts';
import type { Processor } from './adapters/processor/types.ts';
import { registrar } from './adapters/registrar/index.ts';
import type { Registrar } from './adapters/registrar/types.ts';
import { webhooks } from './adapters/webhook/index.ts';
import type { Webhooks } from './adapters/webhook/types.ts';
import { type AdminFinder, adminFinder } from './admin/queries.ts';
import { type AppFinder, appFinder, type ClientFinder, clientFinder } from './apps/queries.ts';
import type { Config } from './config.ts';
import { type Db, openPool } from './db/pool.ts';
import { listenForSettlements } from './db/settled.ts';
import { type Throttle, throttle } from './db/throttles.ts';
import { type Accept, acceptance, type Offer } from './intents/accept.ts';
import type { Carrier } from './intents/carry-out.ts';
import { intentReader } from './intents/read.ts';
import { type Until, untilEnded, type Wait, waiting } from './intents/wait.ts';
import { toldError } from './kernel/errors.ts';
import { Refusal } from './kernel/refusals.ts';
import { type Sealer, sealer } from './kernel/seal.ts';
import type { ExchangeOffer } from './orders/exvenue/intents.ts';
import type { NetworkOffer } from './orders/intents.ts';
import { type PartnerFinder, partnerFinder } from './partners/queries.ts';
import type { CheckoutOffer } from './payments/intents.ts';
import { type VenueReads, venueReads } from './portfolio/reads.ts';
import type { RegistrationOffer } from './registration/intents.ts';
import type { TradingOffer } from './trading/intents.ts';
import { type TraderFinder, traderFinder } from './trading/keys/queries.ts';
import { openStreams, type Streams } from './trading/stream/hub.ts';
import { type UserFinder, userFinder } from './users/queries.ts';
import { laneStepper, type StepLane } from './webhooks/outcomes.ts';

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

/** What tasks work with. `stop` makes calls under way end as in doubt. */
export type WorkerRuntime = Common &
  Carrier & { venues: { netvenue: Netvenue }; mailer: Mailer; stepLane: StepLane; stop(): void };

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

const platformVenue = (config: Config): Netvenue =>
  netvenue({
    minerUrl: config.NETVENUE_MINER_URL,
    minerKey: config.NETVENUE_MINER_KEY,
    validatorUrl: config.NETVENUE_VALIDATOR_URL,
    validatorKey: config.NETVENUE_VALIDATOR_KEY,
    entityHotkey: config.NETVENUE_ENTITY_HOTKEY,
  });

const platformExchange = (config: Config): Exvenue =>
  exvenue({ url: config.EXVENUE_URL, network: config.EXVENUE_NETWORK, budgetShare: config.EXVENUE_BUDGET_SHARE });

const platformRegistrar = (config: Config): Registrar =>
  registrar({
    url: config.REGISTRAR_URL,
    chainUrl: config.REGISTRAR_CHAIN_URL,
    network: config.REGISTRAR_NETWORK,
    asset: config.REGISTRAR_ASSET,
  });

const platformProcessor = (config: Config): Processor | null =>
  config.PROCESSOR_SECRET_KEY && config.PROCESSOR_WEBHOOK_SECRET
    ? processor({
        url: config.PROCESSOR_URL,
        secretKey: config.PROCESSOR_SECRET_KEY,
        notificationSecret: config.PROCESSOR_WEBHOOK_SECRET,
      })
    : null;

/** The processor, for what cannot be done without one. Refuses where none is configured. */
export function processorOf({ processor }: Pick<Common, 'processor'>): Processor {
  if (!processor) throw new Refusal('V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  return processor;
}

const partnersReceivers = (config: Config): Webhooks => webhooks({ allowLoopback: config.WEBHOOK_LOOPBACK });

/** Builds what the web process works with; `close` gives everything back. */
export async function openWebRuntime(config: Config, log: Logger = openLog(config)): Promise<WebRuntime> {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const db = await openPool(config.DATABASE_URL, config.WEB_POOL_SIZE, onError);
  const settlements = listenForSettlements(config.directUrl, onError);
  const streams = openStreams({ db, settlements, log }, config.STREAM_HEARTBEAT_MS);
  const venue = platformVenue(config);
  const exchange = platformExchange(config);
  const stopping = new AbortController();
  return {
    config,
    log,
    db,
    sealer: sealer(config.SEALING_KEYS),
    exvenue: exchange,
    registrar: platformRegistrar(config),
    webhooks: partnersReceivers(config),
    processor: platformProcessor(config),
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
    reads: venueReads(venue, exchange, config.VENUE_READ_MS),
    stop: () => stopping.abort(),
    async close() {
      streams.close();
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
  const mail = mailer({ url: config.SMTP_URL, from: config.MAIL_FROM });
  const receivers = partnersReceivers(config);
  const venue = platformVenue(config);
  const exchange = platformExchange(config);
  return {
    config,
    log,
    db,
    sealer: sealer(config.SEALING_KEYS),
    mailer: mail,
    webhooks: receivers,
    processor: platformProcessor(config),
    stepLane: laneStepper(db),
    exvenue: exchange,
    registrar: platformRegistrar(config),
    venues: { netvenue: venue },
    reads: venueReads(venue, exchange, config.VENUE_READ_MS),
    patienceMs: config.NETVENUE_PATIENCE_MS,
    inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
    stopping: stopping.signal,
    late,
    stop: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all(late);
      mail.close();
      receivers.close();
      await db.end();
    },
  };
}
