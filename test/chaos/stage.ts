import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { createPartner } from '../../src/partners/intents.ts';
import { type NetvenueParty, type NetvenuePartyOptions, startNetvenueParty } from '../../src/sandbox/netvenue/index.ts';
import { type Caller, caller } from '../support/caller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Running, startProgram, startWebProcess, until } from '../support/processes.ts';
import { ENTITY, KEYS, testSettings } from '../support/service.ts';

/** A worker process and the queue's names for its two pools, by which its jobs are known. */
export type WorkerProcess = Running & { id: string; pools: string[] };

/** The service as separate processes on a database of its own; the network party and its ledger are in this process. */
export type Stage = {
  settings: Record<string, string>;
  party: NetvenueParty;
  web: Running & { url: string };
  workers: Set<WorkerProcess>;
  /** Rows of one statement. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Starts a worker and returns when it is registered with its pools: it takes jobs from then on. One at a time. */
  startWorker(settings?: Record<string, string>): Promise<WorkerProcess>;
  /** So many traders of one partner with active subaccounts, written directly. */
  traders(count: number): Promise<Caller[]>;
  close(): Promise<void>;
};

type Options = { workers?: number; settings?: Record<string, string>; party?: Partial<NetvenuePartyOptions> };

const SMALL_POOLS = { WORKER_POOL_SIZE: '6', WEB_POOL_SIZE: '6' }; // several processes share one server's connections

/** Brings up database, party, web and workers. */
export async function openStage({ workers = 1, settings = {}, party: behaviour = {} }: Options = {}): Promise<Stage> {
  const database = await freshDatabase();
  const party = await startNetvenueParty({ ...KEYS, cooldownMs: 0, activationMs: 0, ...behaviour });
  const all = testSettings(database.url, party, { ...SMALL_POOLS, ...settings });
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => {}); // the test that cut it off knows
  const web = await startWebProcess(all);
  const running = new Set<WorkerProcess>();
  const stage: Stage = {
    settings: all,
    party,
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
    async close() {
      const processes = [web, ...running];
      for (const { kill } of processes) kill('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
      await pool.end();
      await party.close();
      await database.drop();
    },
  };
  for (let started = 0; started < workers; started++) await stage.startWorker();
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
  const db = await openPool(databaseUrl, 1, () => {});
  const { partner_id, key } = await createPartner(db, 'Chaos').finally(() => db.end());
  const ids = party.addSubaccounts(count);
  await rows(
    `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
     select $1 || '_' || id, $1, id, $2, gen_random_uuid(), 'crypto', 10000, 'active'
     from unnest($3::integer[]) id`,
    [ENTITY, partner_id, ids],
  );
  return ids.map((id) => caller(web.url, key, { 'Trader-ID': String(id) }));
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
