import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { openPool } from '../../src/db/pool.ts';
import { createPartner } from '../../src/partners/intents.ts';
import { type ExvenueParty, type ExvenuePartyOptions, startExvenueParty } from '../../src/sandbox/exvenue/index.ts';
import { type NetvenueParty, type NetvenuePartyOptions, startNetvenueParty } from '../../src/sandbox/netvenue/index.ts';
import { type Caller, caller } from '../support/caller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Running, startProgram, startWebProcess, until } from '../support/processes.ts';
import { ENTITY, KEYS, testSettings } from '../support/service.ts';

/** A worker process and the queue's names for its two pools, by which its jobs are known. */
export type WorkerProcess = Running & { id: string; pools: string[] };

/** The service as separate processes on a database of its own; both venues and their ledgers are in this process. */
export type Stage = {
  settings: Record<string, string>;
  party: NetvenueParty;
  exchange: ExvenueParty;
  web: Running & { url: string };
  workers: Set<WorkerProcess>;
  /** Rows of one statement. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Starts a worker and returns when it is registered with its pools: it takes jobs from then on. One at a time. */
  startWorker(settings?: Record<string, string>): Promise<WorkerProcess>;
  /** So many traders of one partner with active subaccounts, written directly. */
  traders(count: number): Promise<Caller[]>;
  /** So many wallets of one partner, each enrolled with its own key over HTTP. */
  wallets(count: number): Promise<Wallet[]>;
  close(): Promise<void>;
};

/** An enrolled wallet of the exchange, who calls with its address as the Trader-ID. */
export type Wallet = Caller & { wallet: string; privateKey: `0x${string}` };

type Options = {
  workers?: number;
  settings?: Record<string, string>;
  party?: Partial<NetvenuePartyOptions>;
  exchange?: ExvenuePartyOptions;
};

const WALLET_USD = '100000'; // what every wallet has on the exchange from the start
const SMALL_POOLS = { WORKER_POOL_SIZE: '6', WEB_POOL_SIZE: '6' }; // several processes share one server's connections

/** Brings up database, party, web and workers. */
export async function openStage(options: Options = {}): Promise<Stage> {
  const database = await freshDatabase();
  const party = await startNetvenueParty({ ...KEYS, cooldownMs: 0, activationMs: 0, ...options.party });
  const exchange = await startExvenueParty({ network: 'testnet', autoFund: WALLET_USD, ...options.exchange });
  const all = testSettings(database.url, party, { ...SMALL_POOLS, EXVENUE_URL: exchange.url, ...options.settings });
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => {}); // the test that cut it off knows
  const web = await startWebProcess(all);
  const running = new Set<WorkerProcess>();
  const stage: Stage = {
    settings: all,
    party,
    exchange,
    web,
    workers: running,
    rows: async (text, values) => (await pool.query(text, values)).rows,
    startWorker: async (more = {}) => {
      const worker = await startRegistered(stage, { ...all, ...more });
      running.add(worker);
      void worker.exited.then(() => running.delete(worker));
      return worker;
    },
    traders: (count) => makeTraders(stage, database.url, count),
    wallets: (count) => enrollWallets(stage, database.url, count),
    async close() {
      const processes = [web, ...running];
      for (const { kill } of processes) kill('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
      await pool.end();
      await party.close();
      await exchange.close();
      await database.drop();
    },
  };
  for (let started = 0; started < (options.workers ?? 1); started++) await stage.startWorker();
  return stage;
}

type Registered = { id: string; pool_ids: string[] };

async function startRegistered(stage: Stage, settings: Record<string, string>): Promise<WorkerProcess> {
  const list = () => stage.rows<Registered>('select id, pool_ids from worker_processes');
  const known = new Set((await list()).map(({ id }) => id));
  const worker = startProgram('worker', settings);
  const { id, pool_ids: pools } = await until('a registered worker', async () =>
    (await list()).find(({ id, pool_ids }) => !known.has(id) && pool_ids.length === 2),
  ).catch((cause) => {
    throw new Error(`The worker did not register:\n${worker.lines.join('\n')}`, { cause });
  });
  return { ...worker, id, pools };
}

async function makeTraders({ party, rows, web }: Stage, databaseUrl: string, count: number): Promise<Caller[]> {
  const { partner_id, key } = await makePartner(databaseUrl);
  const ids = party.addSubaccounts(count);
  await rows(
    `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
     select $1 || '_' || id, $1, id, $2, gen_random_uuid(), 'crypto', 10000, 'active'
     from unnest($3::integer[]) id`,
    [ENTITY, partner_id, ids],
  );
  return ids.map((id) => caller(web.url, key, { 'Trader-ID': String(id) }));
}

async function enrollWallets({ web }: Stage, databaseUrl: string, count: number): Promise<Wallet[]> {
  const { key } = await makePartner(databaseUrl);
  return Promise.all(Array.from({ length: count }, () => enrollWallet(web.url, key)));
}

async function enrollWallet(url: string, key: string): Promise<Wallet> {
  const privateKey = generatePrivateKey();
  const wallet = privateKeyToAddress(privateKey).toLowerCase();
  const trader = caller(url, key, { 'Trader-ID': wallet });
  const { status, body } = await trader.post('/v1/sessions', { ex_wallet: wallet, private_key: privateKey });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { ...trader, wallet, privateKey };
}

async function makePartner(databaseUrl: string) {
  const db = await openPool(databaseUrl, 1, () => {});
  return createPartner(db, 'Chaos').finally(() => db.end());
}

/** Places one small market order under a uuid of the caller's and returns it, once the service has taken it durably. */
export async function placeOne(trader: Caller, pair = 'BTCUSDC'): Promise<string> {
  const order_uuid = randomUUID();
  const order = { trade_pair: pair, order_type: 'LONG', leverage: 0.01, order_uuid };
  const { status, body } = await trader.post('/v1/orders/netvenue', order, { prefer: 'wait=0' });
  if (status !== 202 && status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return order_uuid;
}

/** Waits until every intent has ended. */
export const allSettled = ({ rows }: Stage, withinMs: number): Promise<true> =>
  until(
    'every intent settled',
    async () => {
      const open = await rows(`select from intents where state in ('queued', 'running', 'in_doubt') limit 1`);
      return open.length === 0 || null;
    },
    withinMs,
  );
