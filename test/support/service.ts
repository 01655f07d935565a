import pino, { type Logger } from 'pino';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { readConfig } from '../../src/config.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import { serializeError } from '../../src/kernel/serialize-error.ts';
import { workMembers } from '../../src/kernel/work.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import type { WebRuntime } from '../../src/runtime/web.ts';
import { type RunningWeb, startWeb } from '../../src/runtime/web-process.ts';
import { type RunningWorker, startWorker } from '../../src/runtime/worker-process.ts';
import { type ExvenueUpstream, startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import {
  type NetvenueUpstream,
  type NetvenueUpstreamOptions,
  startNetvenueUpstream,
} from '../../src/sandbox/network/index.ts';
import { type Caller, caller } from './caller.ts';
import { addressedAs, freshDatabase } from './postgres.ts';
import { realSockets } from './sockets.ts';

export const ENTITY = 'test_entity';
export const KEYS = { minerKey: 'test-miner-key', validatorKey: 'test-validator-key', entityHotkey: ENTITY };

type Options = {
  /** Settings that override those of the tests. */
  settings?: Record<string, string>;
  /** The behaviour of the sandbox network; by default without cooldown and active at once. */
  upstream?: Partial<NetvenueUpstreamOptions>;
  /** Whether a worker runs in this process; without one, jobs wait. */
  worker?: boolean;
  /** A migrated database to use; by default a new one. */
  database?: { url: string; drop(): Promise<void> };
};

/** The id of the partner, as the database has it. */
type Owned = { owner: string };

/** The whole service in this process: its own database, the sandbox network, web, and by default a worker. */
export type TestService = {
  url: string;
  settings: Record<string, string>;
  db: Db;
  miner: NetvenueUpstream;
  exchange: ExvenueUpstream;
  log: LogLines;
  /** The dependencies of web; its metrics are the worker's too. */
  runtime: WebRuntime;
  /** Starts the worker of a service that was started without one. */
  startWorker(): Promise<RunningWorker>;
  /** Stops every worker of this process; jobs wait from then on. */
  stopWorkers(): Promise<void>;
  /** Runs one task of `workers/` now, as the crontab would. */
  runTask(name: string, payload?: unknown): Promise<void>;
  partner(): Promise<Caller & Owned>;
  /** A partner with one registered, active subaccount, whose id is its Trader-ID. */
  trader(): Promise<Caller & Owned & { traderId: string }>;
  /** A partner who has enrolled a new wallet's own key; the wallet is the Trader-ID. */
  wallet(): Promise<Caller & Owned & { wallet: string; privateKey: `0x${string}` }>;
  stop(): Promise<void>;
};

/** Starts the service on a new database by default. */
export async function startService(options: Options = {}): Promise<TestService> {
  const { settings = {}, upstream = {}, worker = true } = options;
  const unmocked = realSockets();
  const database = options.database ?? (await freshDatabase());
  const miner = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0, ...upstream });
  const exchange = await startExvenueUpstream({ network: 'testnet', autoFund: '100000' });
  const all = testSettings(database.url, miner, { EXVENUE_URL: exchange.url, ...settings });
  const [config, workerConfig] = [readConfig(addressedAs('web', all)), readConfig(addressedAs('worker', all))];
  const metrics = openMetrics();
  const log = logLines(metrics.noteAlert);
  const db = await openPool(database.url, 5, () => {});
  const web: RunningWeb = await startWeb(config, log.logger, metrics);
  const { runtime } = web;
  const workers: RunningWorker[] = worker ? [await startWorker(workerConfig, log.logger, runtime.metrics)] : [];
  const partner = async () => {
    const { partner_id, key } = await createPartner(db, 'Test partner');
    return { ...caller(web.url, key), owner: partner_id };
  };
  return {
    url: web.url,
    settings: all,
    db,
    miner,
    exchange,
    log,
    runtime,
    partner,
    async startWorker() {
      const started = await startWorker(workerConfig, log.logger, runtime.metrics);
      workers.push(started);
      return started;
    },
    async stopWorkers() {
      await Promise.all(workers.splice(0).map((running) => running.stop()));
    },
    async runTask(name, payload = {}) {
      const [running] = workers;
      if (!running) throw new Error('No worker runs');
      const { default: task } = await import(`../../workers/${name}.ts`);
      await task(payload, running.runtime);
    },
    async trader() {
      const owner = await partner();
      const reply = await owner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      const traderId = String(reply.body.subaccount.subaccount_id);
      return { ...caller(web.url, owner.key, { 'Trader-ID': traderId }), owner: owner.owner, traderId };
    },
    async wallet() {
      const owner = await partner();
      const privateKey = generatePrivateKey();
      const wallet = privateKeyToAddress(privateKey).toLowerCase();
      const reply = await owner.post('/v1/sessions', { ex_wallet: wallet, private_key: privateKey });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return { ...caller(web.url, owner.key, { 'Trader-ID': wallet }), owner: owner.owner, wallet, privateKey };
    },
    async stop() {
      await web.stop();
      await Promise.all(workers.map((running) => running.stop()));
      await db.end();
      await miner.close();
      await exchange.close();
      await database.drop();
      unmocked();
    },
  };
}

/** The settings of every test process. */
export const testSettings = (
  databaseUrl: string,
  { minerUrl, validatorUrl }: Pick<NetvenueUpstream, 'minerUrl' | 'validatorUrl'>,
  more: Record<string, string> = {},
): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  HOST: '127.0.0.1',
  PORT: '0',
  NETVENUE_MINER_URL: minerUrl,
  NETVENUE_MINER_KEY: KEYS.minerKey,
  NETVENUE_VALIDATOR_URL: validatorUrl,
  NETVENUE_VALIDATOR_KEY: KEYS.validatorKey,
  NETVENUE_ENTITY_HOTKEY: KEYS.entityHotkey,
  NETVENUE_PATIENCE_MS: '1500',
  NETVENUE_IN_FLIGHT_MS: '3000',
  NETVENUE_SIGNALS_PER_MIN: '1000000', // tests of other things send what they like
  NETVENUE_MINER_THREADS: '100', // the sandbox's miner has as many as it is asked to
  VALIDATE_RESPONSES: 'true',
  WEBHOOK_LOOPBACK: 'true',
  PUBLIC_URL: 'http://127.0.0.1',
  EXVENUE_URL: 'http://127.0.0.1:9',
  REGISTRAR_URL: 'http://127.0.0.1:9',
  REGISTRAR_CHAIN_URL: 'http://127.0.0.1:9',
  EXVENUE_NETWORK: 'testnet',
  EXVENUE_EXPIRES_MS: '2000',
  EXVENUE_CLOCK_MARGIN_MS: '500', // both share one clock
  EXVENUE_BUDGET_PER_MINUTE: '24000', // many tests share one service
  EXVENUE_READ_LAG_MS: '500',
  EXVENUE_STREAM: 'false', // what polls do is tested by itself
  EXVENUE_PATIENCE_MS: '1500',
  SEALING_KEYS: `test:${Buffer.alloc(32, 'test').toString('base64')}`,
  AGREEMENT_KEYS: `test:${Buffer.alloc(32, 'agree').toString('base64')}`,
  PAYOUT_DESTINATION_HOLD_H: '0', // payout accounts of tests are new
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Test service <service@test.invalid>',
  ...more,
});

export type LogLines = { logger: Logger; lines: Record<string, unknown>[] };

/** A logger whose lines a test can read. `onAlert`: called with the member `alert` of a line. */
export function logLines(onAlert: (alert: string) => void = () => {}): LogLines {
  const lines: Record<string, unknown>[] = [];
  return {
    lines,
    logger: pino(
      { level: 'debug', serializers: { err: serializeError }, mixin: workMembers },
      {
        write(text: string) {
          const line = JSON.parse(text);
          lines.push(line);
          if (line.alert) onAlert(line.alert);
        },
      },
    ),
  };
}
