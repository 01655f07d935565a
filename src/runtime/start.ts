import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Config, dataFolder, namesDatabase, readConfig, trialAddress } from '../config.ts';
import { startEmbedded } from '../db/embedded.ts';
import { openPool } from '../db/pool.ts';
import { newHeadKey } from '../kernel/head-keys.ts';
import { reachedAt } from '../kernel/loopback.ts';
import { newSealingKey } from '../kernel/seal.ts';
import { openMetrics } from '../metrics/registry.ts';
import { withMetrics } from '../metrics/serve.ts';
import { VERSION } from '../metrics/version.ts';
import { advanceAccount, advanceDatabase } from '../sandbox/clock.ts';
import { STEERED } from '../sandbox/overview.ts';
import { seed } from '../sandbox/seed.ts';
import { type Sandbox, startSandbox } from '../sandbox/start.ts';
import { withDatabaseTls } from './database.ts';
import { openLog } from './log.ts';
import { outliveQueue, STARTS_WITHIN_MS } from './process.ts';
import { release } from './release.ts';
import { stopOnSignal } from './stop.ts';
import { startWeb, takePort } from './web-process.ts';
import type { WorkerRuntime } from './worker.ts';
import { startWorker } from './worker-process.ts';

const DATA_FOLDER = path.join(dataFolder(), 'postgres');
const SANDBOX_FOLDER = path.join(dataFolder(), 'sandbox');
const STOP_WITHIN_MS = 58_000; // web, worker and database stop in turn; each has its own, shorter limit

type Stop = () => Promise<void>;

/** The service for a machine where nothing is set up. `port` is the one that web will listen on. */
type Trial = { config: Config; sandbox: Sandbox; port: Server };

/**
 * Starts everything in one process: PostgreSQL, sandbox, worker, web. Each leaves in `stops` what stops it. If one cannot start, stops the others
 * and throws.
 */
async function start(stops: Stop[]): Promise<void> {
  try {
    const trial = namesDatabase() ? null : await bringUp(stops);
    const given = trial?.config ?? readConfig();
    const metrics = openMetrics();
    const log = openLog(given, undefined, metrics.noteAlert);
    outliveQueue(log);
    const config = await withDatabaseTls(given, log);
    const version = { version: VERSION, isAlone: trial !== null };
    await release(config, (line) => log.debug(line), version).catch((cause) => {
      throw trial ? new Error(`${DATA_FOLDER}: ${cause.message}`, { cause }) : cause;
    });
    const worker = await startWorker(config, log.child({ process: 'worker' }), metrics);
    stops.push(worker.stop);
    const web = await startWeb(config, log.child({ process: 'web' }), metrics, trial ? besides(trial) : undefined);
    const served = await withMetrics(web, ['web', 'worker']);
    stops.push(served.stop);
    trial?.sandbox.announce(web.url, config.PUBLIC_URL);
    if (trial) await greet(config.PUBLIC_URL, served.url, worker.runtime);
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Stops what has been started and is not stopped yet, the last first. */
async function stopAll(stops: Stop[]): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
}

/** Starts the embedded database and local sandboxes of the upstreams, for a machine where nothing is set up. */
async function bringUp(stops: Stop[]): Promise<Trial> {
  const at = trialAddress();
  const port = await takePort(at);
  const database = await startEmbedded({ dataDir: DATA_FOLDER });
  stops.push(() => database.stop());
  if (!database.owned) throw new Error(`Another process uses ${DATA_FOLDER}. Stop it, or set DATA_DIR.`);
  const clock = await openPool(database.url, 1, () => {});
  stops.push(() => clock.end());
  const sandbox = await startSandbox({
    folder: SANDBOX_FOLDER,
    host: at.HOST,
    advanceDatabase: (seconds) => advanceDatabase(clock, seconds),
    advanceAccount: (account, seconds) => advanceAccount(clock, account, seconds),
  });
  stops.push(sandbox.stop);
  const given = {
    DATABASE_URL: database.url,
    HOST: at.HOST,
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    SEALING_KEYS: await localKeys('sealing-keys', newSealingKey),
    AGREEMENT_KEYS: await localKeys('agreement-keys', newHeadKey),
    ...sandbox.settings,
  };
  const { port: number } = port.address() as AddressInfo; // as: it listens on TCP
  return { config: readConfig({ ...given, PUBLIC_URL: `http://${reachedAt(at.HOST)}:${number}` }), sandbox, port };
}

/**
 * A keyring beside the embedded database, created at the first start. If two processes start at once, the first one
 * wins.
 */
async function localKeys(name: string, newKey: () => string): Promise<string> {
  const file = path.join(dataFolder(), name);
  await writeFile(file, newKey(), { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}

const besides = ({ port, sandbox }: Trial) => ({ port, beside: { at: '/sandbox', respond: sandbox.site } });

async function greet(url: string, metrics: string | null, { db, sealer }: WorkerRuntime): Promise<void> {
  const lines = ['', `  Trading Partner Service   ${url}`, `  reference                 ${url}/docs`];
  lines.push(`  operator's console        ${url}/admin`, `  partner's workbench       ${url}/workbench`);
  if (metrics) lines.push(`  metrics                   ${metrics}/metrics`);
  lines.push(`  sandbox                   ${url}/sandbox`);
  for (const name of STEERED) lines.push(`  ${`sandbox ${name} ledger`.padEnd(24)}  ${url}/sandbox/${name}/ledger`);
  lines.push(`  pay a checkout at         ${url}/sandbox/pay/{client_secret}`);
  lines.push(`  sandbox mails             ${url}/sandbox/mails`);
  lines.push(...(await seed(db, sealer)));
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/**
 * Runs everything until a signal stops it, also one that comes while it starts: PostgreSQL would go on by itself. What keeps it from starting is one
 * line on stderr.
 */
export async function runAll(): Promise<void> {
  const log: Pick<Logger, 'fatal'> = openLog({ LOG_LEVEL: 'fatal' });
  const stops: Stop[] = [];
  const started = start(stops);
  const stop = async () => {
    await (namesDatabase() ? Promise.race([started, sleep(STARTS_WITHIN_MS)]) : started);
    await stopAll(stops);
  };
  stopOnSignal(stop, STOP_WITHIN_MS, (err) => log.fatal({ err }, 'shutdown failed'));
  try {
    await started;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
