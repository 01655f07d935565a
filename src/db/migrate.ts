import { glob } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { waitedTooLong, wasUndone } from './conflicts.ts';
import { checkApplied, loadMigrations, MIGRATION_FILES, noteApplied } from './migrations.ts';

const MIGRATORS_LOCK = 884_424;
const POLL_MS = 100; // not by waiting in PostgreSQL: whoever builds an index beside traffic waits for every statement that runs

/** How long a migration stands in line for a lock, with everybody else's statements behind it, and how often it comes back. */
const patience = { lockMs: 2_000, pauseMs: 3_000, tries: 100 };

/**
 * Brings a database up to date: the queue's schema, then ours, each migration by itself. Safe to run twice and side by side: the
 * second waits. Safe beside traffic: a lock that does not come soon is given up, and asked for again when traffic has gone on for
 * a while. Refuses when a migration that was applied has been edited.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  { lockMs, pauseMs, tries } = patience,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c lock_timeout=${lockMs}` });
  const onError = (error: Error) => log(error.message);
  pool.on('error', onError);
  pool.on('connect', (connection) => connection.on('error', onError));
  const client = await pool.connect();
  try {
    await waitForTurn(client);
    for (let left = tries; ; left -= 1) {
      const isDone = await attempt(pool, client, log).catch((error) => {
        if (left <= 1 || !(waitedTooLong(error) || wasUndone(error))) throw error;
      });
      if (isDone) return;
      log(`A lock did not come within ${lockMs} ms: traffic goes first, the migration comes back`);
      await sleep(pauseMs);
    }
  } finally {
    client.release(true); // the turn ends with its connection
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
  await client.query('rollback'); // what an attempt before left behind
  await runMigrations({ pgPool: pool });
  const paths = await Array.fromAsync(glob(MIGRATION_FILES));
  if (await hasMigrations(client)) await checkApplied(client, paths);
  await runner({
    dbClient: client,
    dir: MIGRATION_FILES,
    useGlob: true,
    migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
    direction: 'up',
    migrationsTable: 'migrations',
    noLock: true, // the turn is ours
    log,
  });
  await noteApplied(client, paths);
  return true;
}

async function hasMigrations(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('migrations') is not null as there`);
  return rows[0].there;
}
