import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import got from 'got';
import pg from 'pg';
import { createPartner } from '../../../src/capabilities/partners/commands.ts';
import { isAlive } from '../../../src/db/embedded/postmaster.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openPool } from '../../../src/db/pool.ts';
import {
  type NetvenueUpstream,
  type NetvenueUpstreamOptions,
  startNetvenueUpstream,
} from '../../../src/sandbox/network/index.ts';
import { fill, type Past } from '../../support/fill.ts';
import { freePort } from '../../support/free-port.ts';
import { type Running, STARTED_MS, startProgram, startScript, until } from '../../support/processes.ts';
import { ENTITY, KEYS, testSettings } from '../../support/service.ts';
import { assertDurable } from './durable.ts';
import { endAll, profiled, report, startServer } from './profile.ts';

/**
 * A durable database server for measuring, and the processes on one of its databases. The upstream is in this process.
 */
export type Arena = {
  databaseUrl: string;
  settings: Record<string, string>;
  upstream: NetvenueUpstream;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Starts the HTTP edge, or another server that listens on PORT, and returns its address once it responds. */
  serve(script?: string, settings?: Record<string, string>): Promise<string>;
  startWorker(settings?: Record<string, string>): Running;
  /** Starts a file of the bench with this database in its environment. */
  run(script: string, settings?: Record<string, string>): Running;
  /** This many active traders of one partner; the key of the partner works for all of them. */
  traders(count: number): Promise<{ key: string; ids: number[] }>;
  /** The ids of the started processes, in the order of their starts. */
  pids(): number[];
  close(): Promise<void>;
};

/**
 * Opens a new, migrated database on a separate server with the settings of `npm start`: every commit is on disk. With a
 * `past` it has the data of a long-running service.
 */
export async function openArena(behaviour: Partial<NetvenueUpstreamOptions> = {}, past?: Past): Promise<Arena> {
  const dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-bench-`));
  const server = await startServer(dataDir);
  await migrate(server.url);
  if (past) await fill(server.url, past);
  const upstream = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0, ...behaviour });
  const quiet = { LOG_LEVEL: 'warn', VALIDATE_RESPONSES: 'false' };
  const settings = testSettings(server.url, upstream, {
    THROTTLE_SCALE: '1000', // one partner sends more than its quota
    ...quiet,
    NETVENUE_PATIENCE_MS: '10000',
    ORDER_DEADLINE_MS: '600000',
  });
  const pool = new pg.Pool({ connectionString: server.url, max: 2 });
  await assertDurable(pool);
  const running: Running[] = [];
  const launched = (process: Running) => {
    running.push(process);
    return process;
  };
  endWithUs(() => server.pid());
  const query: Arena['query'] = async (text, values) => (await pool.query(text, values)).rows;
  if (past) await query('checkpoint'); // pending writes from filling the queue are not part of the measurement
  return {
    databaseUrl: server.url,
    settings,
    upstream,
    query,
    async serve(script = 'src/web.ts', more = {}) {
      const PORT = String(await freePort());
      const url = `http://127.0.0.1:${PORT}`;
      const { lines } = launched(startScript(script, profiled({ ...settings, ...more, PORT })));
      const isUp = () =>
        got(`${url}/healthz`).then(
          () => true,
          () => null,
        );
      await until('a server that responds', isUp, STARTED_MS).catch(() => {
        throw new Error(lines.join('\n'));
      });
      return url;
    },
    startWorker: (more = {}) => launched(startProgram('worker', profiled({ ...settings, ...more }))),
    run: (script, more = {}) => launched(startScript(script, profiled({ ...settings, ...more }))),
    traders: (count) => makeTraders(server.url, upstream, count),
    pids: () => running.map(({ pid }) => pid),
    async close() {
      await endAll(running);
      await report(query);
      await pool.end();
      await upstream.close();
      await server.stop('immediate');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** For interrupted benches: stops the server with them. */
function endWithUs(pid: () => number): void {
  process.once('exit', () => isAlive(pid()) && process.kill(pid(), 'SIGQUIT'));
}

/** Active traders of a new partner, with its key. */
export async function makeTraders(databaseUrl: string, upstream: NetvenueUpstream, count: number) {
  const db = await openPool(databaseUrl, 1, () => {});
  const { partner_id, key } = await createPartner(db, 'Bench').finally(() => db.end());
  const ids = upstream.addSubaccounts(count);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
     select $1 || '_' || id, $1, id, $2, gen_random_uuid(), 'crypto', 10000, 'active'
     from unnest($3::integer[]) id`,
    [ENTITY, partner_id, ids],
  );
  await client.end();
  return { key, ids };
}
