import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseIsAway } from '../../src/db/conflicts.ts';
import { logFile } from '../../src/db/embedded/launch.ts';
import {
  type ExvenueUpstream,
  type ExvenueUpstreamOptions,
  startExvenueUpstream,
} from '../../src/sandbox/exchange/index.ts';
import {
  type NetvenueUpstream,
  type NetvenueUpstreamOptions,
  startNetvenueUpstream,
} from '../../src/sandbox/network/index.ts';
import type { Caller } from '../support/caller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { endReporting, type Running, STARTED_MS, startProgram, startWebProcess, until } from '../support/processes.ts';
import { KEYS, startService, testSettings } from '../support/service.ts';
import { enrollWallets, makeTraders, type Wallet } from './callers.ts';

/** A worker process and the queue's names for its two pools, which identify its jobs. */
export type WorkerProcess = Running & { id: string; pools: string[] };

/** The service as separate processes on its own database; both venues and their ledgers are in this process. */
export type Stage = {
  settings: Record<string, string>;
  upstream: NetvenueUpstream;
  exchange: ExvenueUpstream;
  /** The first of the web processes; callers are spread over all of them. */
  web: Web;
  webs: readonly Web[];
  workers: Set<WorkerProcess>;
  /** Rows of one statement, retried for a while when the database is unavailable: for repeatable statements. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Starts a worker and returns when it is registered with its pools: it runs jobs from then on. One at a time. */
  startWorker(settings?: Record<string, string>, root?: string): Promise<WorkerProcess>;
  /** Traders of one partner with active subaccounts, written directly. */
  traders(count: number): Promise<Caller[]>;
  /** Wallets of one partner, each enrolled with its own key over HTTP. */
  wallets(count: number): Promise<Wallet[]>;
  /** Kills a web process, counted around, and starts another at its address. */
  replaceWeb(nth: number, settings?: Record<string, string>): Promise<void>;
  /** Crashes the database's server and starts it again; only for a stage whose server can. */
  restartDatabase(): Promise<void>;
  close(): Promise<void>;
};

type Web = Running & { url: string };

/** What a scene needs that harms no process. */
export type Site = Pick<Stage, 'settings' | 'upstream' | 'rows' | 'traders' | 'close'> & { web: { url: string } };

/** A site whose worker is in this process and can be stopped: jobs wait from then on. */
export type LocalSite = Site & { stopWorkers(): Promise<void> };

/** A migrated database for the stage. */
type StageDatabase = { url: string; drop(): Promise<void>; restart?(): Promise<void> };

/** The composition and settings of a stage; the defaults are for a small run. */
export type StageOptions = {
  workers?: number;
  webs?: number;
  /** By default a new one on the tests' server. */
  database?: StageDatabase;
  settings?: Record<string, string>;
  upstream?: Partial<NetvenueUpstreamOptions>;
  exchange?: ExvenueUpstreamOptions;
  /** The checkout of the version of its processes; by default this one. */
  root?: string;
};

const DEADLOCKS = 'select deadlocks as n from pg_stat_database where datname = current_database()';
/** What the server has logged of them: who waited for whom, in which statement. */
async function deadlocksOf({ rows }: Pick<Stage, 'rows'>): Promise<string> {
  const [server] = await rows<{ dir: string }>(`select current_setting('data_directory') as dir`);
  const log = await readFile(logFile(server?.dir ?? ''), 'utf8').catch(() => '');
  return log
    .split(/^(?=.*ERROR: )/m)
    .filter((entry) => entry.includes('deadlock detected'))
    .join('');
}

const WALLET_USD = '100000'; // initial balance of every wallet on the exchange
const RETRY_MS = 30_000; // longer than a restart of the database
const SMALL_POOLS = { WORKER_POOL_SIZE: '6', WEB_POOL_SIZE: '6' }; // several processes share one server's connections

/** Starts database, upstreams, web and workers. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const database: StageDatabase = options.database ?? (await freshDatabase());
  const upstream = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0, ...options.upstream });
  const exchange = await startExvenueUpstream({ network: 'testnet', autoFund: WALLET_USD, ...options.exchange });
  const all = testSettings(database.url, upstream, { ...SMALL_POOLS, EXVENUE_URL: exchange.url, ...options.settings });
  const pool = new pg.Pool({ connectionString: database.url, max: 4, application_name: 'stage' });
  pool.on('error', () => {}); // the test that cut it off expects this
  const [web, ...more] = await startWebs(all, options.webs ?? 1, options.root);
  const webs = [web, ...more];
  const running = new Set<WorkerProcess>();
  const stage: Stage = {
    settings: all,
    upstream,
    exchange,
    web,
    webs,
    workers: running,
    rows: (text, values) => retrying(async () => (await pool.query(text, values)).rows),
    startWorker: async (more = {}, root = options.root) => {
      const worker = await startRegistered(stage, { ...all, ...more }, root);
      running.add(worker);
      void worker.exited.then(() => running.delete(worker));
      return worker;
    },
    traders: (count) => makeTraders(stage, database.url, count),
    wallets: (count) => enrollWallets(stage.webs, database.url, count),
    async replaceWeb(nth, more = {}) {
      const { url, kill, exited } = webs[nth % webs.length] as Web; // as: there is at least one
      kill('SIGKILL');
      await exited;
      webs[nth % webs.length] = await startWebProcess({ ...all, ...more, PORT: new URL(url).port }, options.root);
    },
    async restartDatabase() {
      if (!database.restart) throw new Error('The tests share this server');
      await database.restart();
    },
    async close() {
      const processes = [...webs, ...running];
      for (const each of processes) endReporting(each);
      await Promise.all(processes.map(({ exited }) => exited));
      const deadlocks = Number((await stage.rows<{ n: string }>(DEADLOCKS))[0]?.n);
      const said = deadlocks > 0 ? await deadlocksOf(stage) : '';
      await pool.end();
      await upstream.close();
      await exchange.close();
      await database.drop();
      if (deadlocks > 0)
        throw new Error(`${deadlocks} deadlocks: something does not take its locks in the others' order\n${said}`);
    },
  };
  for (let started = 0; started < (options.workers ?? 1); started++) await stage.startWorker();
  return stage;
}

/** The service in this process, with one worker: for small runs, in which no process is harmed. */
export async function openSite(options: Pick<StageOptions, 'settings' | 'upstream' | 'database'>): Promise<LocalSite> {
  const service = await startService(options);
  const databaseUrl = String(service.settings.DATABASE_URL);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const rows: Site['rows'] = async (text, values) => (await pool.query(text, values)).rows;
  const web = { url: service.url };
  return {
    settings: service.settings,
    upstream: service.miner,
    rows,
    web,
    stopWorkers: service.stopWorkers,
    traders: (count) => makeTraders({ upstream: service.miner, rows, webs: [web] }, databaseUrl, count),
    async close() {
      await pool.end();
      await service.stop();
    },
  };
}

async function startWebs(settings: Record<string, string>, count: number, root?: string): Promise<[Web, ...Web[]]> {
  const webs: [Web, ...Web[]] = [await startWebProcess(settings, root)];
  while (webs.length < count) webs.push(await startWebProcess(settings, root));
  return webs;
}

async function retrying<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + RETRY_MS; ; await sleep(50)) {
    try {
      return await ask();
    } catch (error) {
      if (!databaseIsAway(error) || Date.now() > until) throw error;
    }
  }
}

type Registered = { id: string; pool_ids: string[] };

async function startRegistered(stage: Stage, settings: Record<string, string>, root?: string): Promise<WorkerProcess> {
  const list = () => stage.rows<Registered>('select id, pool_ids from worker_processes');
  const known = new Set((await list()).map(({ id }) => id));
  const worker = startProgram('worker', settings, root);
  const newWorker = async () => (await list()).find(({ id, pool_ids }) => !known.has(id) && pool_ids.length === 2);
  const { id, pool_ids: pools } = await until('a registered worker', newWorker, STARTED_MS).catch((cause) => {
    throw new Error(`The worker did not register:\n${worker.lines.join('\n')}`, { cause });
  });
  return { ...worker, id, pools };
}

/** Places one small market order under a name of its own and returns its id, once the service has acknowledged it. */
export async function placeOne(trader: Caller, pair = 'BTCUSDC'): Promise<string> {
  const order_uuid = randomUUID();
  const order = { trade_pair: pair, order_type: 'LONG', leverage: 0.01, order_uuid };
  const { status, body, headers } = await trader.post('/v1/orders/netvenue', order, { prefer: 'wait=0' });
  if (status !== 202 && status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return String(headers['intent-id']);
}

/** Waits until every intent has ended, or those for which `which` holds. Reports the open ones that have not in time, with the reason. */
export const allSettled = ({ rows }: Pick<Stage, 'rows'>, withinMs: number, which = 'true'): Promise<true> =>
  until(
    'every intent settled',
    async () => {
      const open = await rows(`select from intents where settled_at is null and ${which} limit 1`);
      return open.length === 0 || null;
    },
    withinMs,
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}; open are ${JSON.stringify(await rows(OPEN), null, 1)}`);
  });

const OPEN = `
  select i.id, i.kind, i.state, i.attempts, i.reconcile_attempts, i.unknown_because, i.outcome, i.presumed_sent_at, i.sending_at, i.deadline_at,
    now() as now, l.head = i.id as at_head, j.run_at, j.attempts as job_attempts, j.locked_at, j.locked_by, j.last_error
  from intents i
  left join lanes l on l.name = i.lane
  left join queue_jobs j on j.payload ->> 'intent_id' = i.id::text
  where i.state in ('queued', 'running', 'in_doubt')
  order by i.created_at
  limit 10`;
