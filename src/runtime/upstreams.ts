import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Processor } from '../adapters/processor/types.ts';
import { registrar } from '../adapters/registrar/index.ts';
import type { Registrar } from '../adapters/registrar/types.ts';
import { webhooks } from '../adapters/webhook/index.ts';
import type { Webhooks } from '../adapters/webhook/types.ts';
import { listOwnAccounts } from '../capabilities/payments/commands.ts';
import { lookUpThreads } from '../capacity/budgets.ts';
import { jobsOfOneUpstream, jobsOfVenues } from '../capacity/jobs.ts';
import { READS_AT_ONCE } from '../capacity/network.ts';
import type { Config } from '../config.ts';
import { lookUpSlots } from '../db/look-up-slots.ts';
import type { Db } from '../db/pool.ts';
import { requestBudget } from '../db/request-budget.ts';
import { upstreamResponses } from '../db/upstream-responses.ts';
import { atOnce } from '../kernel/at-once.ts';
import type { Hotkey } from '../kernel/ids.ts';
import { openPauses, type Pauses } from '../kernel/pauses.ts';
import type { Metrics } from '../metrics/registry.ts';
import { type CallStates, noteRejected, watched, watchedWebhooks } from '../metrics/upstreams.ts';
import type { ExvenueAccess } from '../venues/exchange/adapter/access.ts';
import { exvenue } from '../venues/exchange/adapter/index.ts';
import { openUserStream } from '../venues/exchange/adapter/stream.ts';
import type { StreamListener, UserStream } from '../venues/exchange/adapter/stream-types.ts';
import type { Exvenue } from '../venues/exchange/adapter/types.ts';
import { netvenue } from '../venues/network/adapter/index.ts';
import { type LookUps, lookUpsIn } from '../venues/network/adapter/look-ups.ts';
import type { Netvenue, NetvenueAccess, NetvenueTurns } from '../venues/network/adapter/types.ts';

/** The adapters of all upstreams. Every call is timed and counted. */
export type Upstreams = {
  /** The network through the platform's miner, or through the miner of a tenant's entity. */
  netvenue(identity?: { minerKey?: string; entityHotkey?: Hotkey }): Netvenue;
  exvenue: Exvenue;
  /** Opens the exchange's stream of user events. Null: it is not followed. */
  openStream: ((listener: StreamListener) => UserStream) | null;
  registrar: Registrar;
  /** Null if no processor is configured. Nothing can be sold then. */
  processor: Processor | null;
  webhooks: Webhooks;
  /** What venues have shown lately of traders' orders. */
  shown: CallStates;
};

/** `jobs`: how many jobs of orders the process runs at once; absent: it runs none. */
type Opening = { config: Config; metrics: Metrics; log: Logger; db: Db; pauses?: Pauses; jobs?: number };

/** Opens the adapters of the upstreams that the settings name. Processes share what an upstream grants to all of them. */
export async function openUpstreams({
  config,
  metrics,
  log,
  db,
  pauses = openPauses(),
  jobs,
}: Opening): Promise<Upstreams> {
  const processor = await processorAt(config, { db, log, metrics, pauses });
  const lookUps = lookUpsByEntity(config, db);
  const shown: CallStates = new Map();
  const most = jobs === undefined ? undefined : jobsOfVenues(jobs);
  const turns = most ? networkTurns(most, config.NETVENUE_PATIENCE_MS) : { validator: readTurns(config.VENUE_READ_MS) };
  return {
    shown,
    netvenue: (identity) =>
      watched('netvenue', netvenueAt(config, { ...identity, turns }, lookUps), metrics, log, {
        shown,
        ...(identity ? { isTenants: true } : { pauses }), // a tenant's own key is the same in every process
      }),
    exvenue: watched('exvenue', exvenueAt(config, db, most?.exchange), metrics, log, { shown }),
    openStream: config.EXVENUE_STREAM ? (listener) => openUserStream(streamUrlOf(config), listener) : null,
    registrar: watched('registrar', registrarAt(config), metrics, log),
    processor: processor && watched('processor', processor, metrics, log, { pauses }),
    webhooks: watchedWebhooks(webhooks({ allowLoopback: config.WEBHOOK_LOOPBACK }), metrics, log),
  };
}

/** Any number of verbs may wait: each holds its job for at most a second and is tried again soon. */
const WAITING = { mostWaiting: Number.POSITIVE_INFINITY };

/** `heldMs`: how long a job waits for a miner, which may work on a request for minutes. */
function networkTurns({ miners, validator }: ReturnType<typeof jobsOfVenues>, heldMs: number): NetvenueTurns {
  const ofMiners = (most: number) => atOnce(most, { ...WAITING, heldMs });
  return {
    miners: { exit: ofMiners(miners.exits), entry: ofMiners(miners.entries) },
    validator: atOnce(validator, WAITING),
  };
}

/** A read may wait for its turn as long as for its response. */
const readTurns = (longestMs: number) => atOnce(READS_AT_ONCE, { ...WAITING, longestMs, silentMs: longestMs });

const netvenueAt = (
  config: Config,
  identity: Parameters<Upstreams['netvenue']>[0] & Pick<NetvenueAccess, 'turns'>,
  lookUps: (entityHotkey: Hotkey) => LookUps,
): Netvenue => {
  const access = {
    minerUrl: config.NETVENUE_MINER_URL,
    minerKey: config.NETVENUE_MINER_KEY,
    validatorUrl: config.NETVENUE_VALIDATOR_URL,
    validatorKey: config.NETVENUE_VALIDATOR_KEY,
    entityHotkey: config.NETVENUE_ENTITY_HOTKEY,
    ...identity,
  };
  return netvenue(access, lookUps(access.entityHotkey));
};

/** The look-ups at each entity's miner. The clients of one entity share them. */
function lookUpsByEntity({ NETVENUE_MINER_THREADS: threads }: Config, db: Db): (entityHotkey: Hotkey) => LookUps {
  const known = new Map<Hotkey, LookUps>();
  return (entityHotkey) => {
    const lookUps = known.get(entityHotkey) ?? lookUpsIn(lookUpSlots(db, entityHotkey, lookUpThreads(threads)));
    known.set(entityHotkey, lookUps);
    return lookUps;
  };
}

const exvenueAt = (
  { EXVENUE_URL: url, EXVENUE_NETWORK: network, ...config }: Config,
  db: Db,
  most: ExvenueAccess['most'],
): Exvenue =>
  exvenue({
    url,
    network,
    most,
    budgetPerMinute: config.EXVENUE_BUDGET_PER_MINUTE,
    streamLagMs: config.EXVENUE_STREAM ? config.EXVENUE_READ_LAG_MS : null,
    shared: { ledger: (bucket) => requestBudget(db, url, bucket), responses: upstreamResponses(db, url) },
  });

/** See venues/exchange.md#stream. */
const streamUrlOf = ({ EXVENUE_URL: url }: Config): string => `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws`;

const registrarAt = (config: Config): Registrar =>
  registrar({
    url: config.REGISTRAR_URL,
    chainUrl: config.REGISTRAR_CHAIN_URL,
    network: config.REGISTRAR_NETWORK,
    asset: config.REGISTRAR_ASSET,
    most: jobsOfOneUpstream(config.TRADING_CONCURRENCY),
  });

/** A process does not wait longer for it when it starts: the processor may be silent, and orders do not need it. */
const OWN_ACCOUNT_MS = 1_000;

/** The processor's library is loaded where one is configured only: it has 218 files. */
async function processorAt(
  config: Config,
  { db, log, metrics, pauses }: Pick<Opening, 'db' | 'log' | 'metrics'> & { pauses: Pauses },
): Promise<Processor | null> {
  if (!config.PROCESSOR_SECRET_KEY || !config.PROCESSOR_WEBHOOK_SECRET) return null;
  const { processor } = await import('../adapters/processor/index.ts');
  const foreign = { isKnown: false, note: () => noteRejected('processor', metrics, { pauses }) }; // others do the work, if their key is of our account
  const opened = processor({
    url: config.PROCESSOR_URL,
    secretKey: config.PROCESSOR_SECRET_KEY,
    notificationSecret: config.PROCESSOR_WEBHOOK_SECRET,
    most: jobsOfOneUpstream(config.TRADING_CONCURRENCY),
    foreign,
  });
  const compared = isOfAnother(opened, { db, log }).then(
    (isAnother) => {
      foreign.isKnown = isAnother;
    },
    (err) => log.warn({ err }, 'the account at the processor was not compared with the database'),
  );
  await Promise.race([compared, sleep(OWN_ACCOUNT_MS, undefined, { ref: false })]);
  return opened;
}

/**
 * Whether the key of this process is of another account, or mode, of the processor than that in which the payments and payouts of this database
 * are: there none of them exist, so that each would be taken for gone or never made. Says so by an alert. The first account counts as ours.
 * False where it cannot be read.
 */
async function isOfAnother(processor: Processor, { db, log }: Pick<Opening, 'db' | 'log'>): Promise<boolean> {
  const own = await processor.findOwnAccount();
  if (own.kind !== 'found') {
    log.warn({ result: own }, 'the account at the processor was not compared with the database');
    return false;
  }
  const known = await listOwnAccounts(db, own.data);
  const isKnown = known.some(({ id, is_live }) => id === own.data.id && is_live === own.data.isLive);
  if (!isKnown)
    log.error(
      { alert: 'processor_unknown', account: own.data, known_accounts: known },
      'PROCESSOR_SECRET_KEY: the payments of this database are in another account; nothing is sent to the processor',
    );
  return !isKnown;
}
