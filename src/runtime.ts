import pino, { type Logger } from 'pino';
import { exvenue } from './adapters/exvenue/index.ts';
import type { Exvenue, OrderView } from './adapters/exvenue/types.ts';
import { mailer } from './adapters/mail/index.ts';
import type { Mailer } from './adapters/mail/types.ts';
import { netvenue } from './adapters/netvenue/index.ts';
import type { Dashboard, Netvenue, OrderBook } from './adapters/netvenue/types.ts';
import { processor } from './adapters/processor/index.ts';
import type { Processor } from './adapters/processor/types.ts';
import { webhooks } from './adapters/webhook/index.ts';
import type { Webhooks } from './adapters/webhook/types.ts';
import type { FreeAccountOffer } from './accounts/prop/intents.ts';
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
import type { Lookup } from './kernel/answer.ts';
import { fresh } from './kernel/fresh.ts';
import { type Sealer, sealer } from './kernel/seal.ts';
import type { ExchangeOffer } from './orders/exvenue/intents.ts';
import type { NetworkOffer } from './orders/intents.ts';
import { type PartnerFinder, partnerFinder } from './partners/queries.ts';
import type { CheckoutOffer } from './payments/intents.ts';
import { type UserFinder, userFinder } from './users/queries.ts';
import { laneStepper, type StepLane } from './webhooks/outcomes.ts';

type Common = {
  config: Config;
  log: Logger;
  db: Db;
  sealer: Sealer;
  exvenue: Exvenue;
  webhooks: Webhooks;
  /** Null where no processor is configured: nothing is sold then. */
  processor: Processor | null;
  close(): Promise<void>;
};

/** What the web process works with. */
export type WebRuntime = Common & {
  partners: PartnerFinder;
  clients: ClientFinder;
  apps: AppFinder;
  users: UserFinder;
  admins: AdminFinder;
  throttle: Throttle;
  acceptIntent: Accept<Offer>;
  acceptNetworkOrder: Accept<NetworkOffer>;
  acceptExchangeOrder: Accept<ExchangeOffer>;
  acceptCheckout: Accept<CheckoutOffer>;
  acceptFreeAccount: Accept<FreeAccountOffer>;
  wait: Wait;
  until: Until;
  /** Reads of venues: one call under way per key, its answer good for about a second. */
  reads: {
    networkOrders(trader: string): Promise<Lookup<OrderBook>>;
    exchangeOrders(wallet: string): Promise<Lookup<OrderView[]>>;
    dashboard(syntheticHotkey: string): Promise<Lookup<Dashboard>>;
  };
  /** Ends waits for intents within two seconds, as if their time were up. */
  stop(): void;
};

/** What tasks work with. `stop` makes calls under way end as in doubt. */
export type WorkerRuntime = Common &
  Carrier & { venues: { netvenue: Netvenue }; mailer: Mailer; stepLane: StepLane; stop(): void };

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

const platformExchange = (config: Config): Exvenue =>
  exvenue({ url: config.EXVENUE_URL, network: config.EXVENUE_NETWORK, budgetShare: config.EXVENUE_BUDGET_SHARE });

const platformProcessor = (config: Config): Processor | null =>
  config.PROCESSOR_SECRET_KEY && config.PROCESSOR_WEBHOOK_SECRET
    ? processor({
        url: config.PROCESSOR_URL,
        secretKey: config.PROCESSOR_SECRET_KEY,
        notificationSecret: config.PROCESSOR_WEBHOOK_SECRET,
      })
    : null;

const partnersReceivers = (config: Config): Webhooks => webhooks({ allowLoopback: config.WEBHOOK_LOOPBACK });

/** Builds what the web process works with; `close` gives everything back. */
export async function openWebRuntime(config: Config, log: Logger = openLog(config)): Promise<WebRuntime> {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const db = await openPool(config.DATABASE_URL, config.WEB_POOL_SIZE, onError);
  const settlements = listenForSettlements(config.directUrl, onError);
  const venue = platformVenue(config);
  const exchange = platformExchange(config);
  const stopping = new AbortController();
  return {
    config,
    log,
    db,
    sealer: sealer(config.SEALING_KEYS),
    exvenue: exchange,
    webhooks: partnersReceivers(config),
    processor: platformProcessor(config),
    partners: partnerFinder(db),
    clients: clientFinder(db),
    apps: appFinder(db),
    users: userFinder(db),
    admins: adminFinder(db),
    throttle: throttle(db, config.THROTTLE_SCALE),
    acceptIntent: acceptance(db, 'accept_intents'),
    acceptNetworkOrder: acceptance(db, 'accept_network_orders'),
    acceptExchangeOrder: acceptance(db, 'accept_exchange_orders'),
    acceptCheckout: acceptance(db, 'accept_checkouts'),
    acceptFreeAccount: acceptance(db, 'accept_free_accounts'),
    wait: waiting(intentReader(db), settlements, stopping.signal),
    until: untilEnded(settlements, stopping.signal),
    reads: {
      networkOrders: fresh(READ_FRESH_MS, (trader: string) => venue.orders(trader)),
      exchangeOrders: fresh(READ_FRESH_MS, (wallet: string) => exchange.openOrders(wallet)),
      dashboard: fresh(READ_FRESH_MS, (hotkey: string) => venue.dashboard(hotkey)),
    },
    stop: () => stopping.abort(),
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
  const mail = mailer({ url: config.SMTP_URL, from: config.MAIL_FROM });
  const receivers = partnersReceivers(config);
  return {
    config,
    log,
    db,
    sealer: sealer(config.SEALING_KEYS),
    mailer: mail,
    webhooks: receivers,
    processor: platformProcessor(config),
    stepLane: laneStepper(db),
    exvenue: platformExchange(config),
    venues: { netvenue: platformVenue(config) },
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
