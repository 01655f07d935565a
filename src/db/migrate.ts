import { glob } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { checkApplied, noteApplied } from './applied-migrations.ts';
import { applyDefinitions } from './apply-definitions.ts';
import { waitedTooLong, wasUndone } from './conflicts.ts';
import { readDefinitions } from './definitions.ts';
import { checkLayout, loadMigrations, MIGRATION_FILES } from './migrations.ts';

const MIGRATORS_LOCK = 884_424;
const POLL_MS = 100; // no waiting statement in PostgreSQL: `create index concurrently` would wait for it

/**
 * `lockMs`: how long a migration waits for a lock; other statements queue behind it. `attempts`: attempts before it gives
 * up.
 */
const patience = { lockMs: 2_000, pauseMs: 3_000, attempts: 100 };

/**
 * Brings a database up to date: the schema of the queue, then ours, migration by migration. Safe to repeat and to run
 * concurrently: the second run waits. Safe under traffic: if a lock is not granted within `lockMs`, the attempt ends
 * and is repeated after `pauseMs`. Throws if an applied migration was edited, or if the database has an earlier layout.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  { lockMs, pauseMs, attempts } = patience,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c lock_timeout=${lockMs}` });
  const onError = (error: Error) => log(error.message);
  pool.on('error', onError);
  pool.on('connect', (connection) => connection.on('error', onError));
  const client = await pool.connect();
  try {
    await waitForTurn(client);
    for (let left = attempts; ; left -= 1) {
      const isDone = await attempt(pool, client, log).catch((error) => {
        if (left <= 1 || !(waitedTooLong(error) || wasUndone(error))) throw error;
      });
      if (isDone) return;
      log(`A lock did not come within ${lockMs} ms; the migration retries after a pause`);
      await sleep(pauseMs);
    }
  } finally {
    client.release(true); // closing the connection releases the migrators' lock
    await pool.end();
  }
}

async function waitForTurn(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`select pg_try_advisory_lock(${MIGRATORS_LOCK}) as is_ours`);
    if (rows[0].is_ours) return;
    await sleep(POLL_MS);
  }
}

async function attempt(pool: pg.Pool, client: pg.PoolClient, log: (line: string) => void): Promise<true> {
  await client.query('rollback'); // an earlier attempt may have left a transaction open
  const paths = await Array.fromAsync(glob(MIGRATION_FILES));
  if (await hasMigrations(client)) {
    await checkLayout(client);
    await checkApplied(client, paths);
  }
  await runMigrations({ pgPool: pool });
  await runner({
    dbClient: client,
    dir: MIGRATION_FILES,
    useGlob: true,
    migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
    direction: 'up',
    migrationsTable: 'migrations',
    noLock: true, // we hold the migrators' lock
    log,
  });
  await noteApplied(client, paths);
  await applyDefinitions(client, log, await readDefinitions());
  return true;
}

async function hasMigrations(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('migrations') is not null as there`);
  return rows[0].there;
}
