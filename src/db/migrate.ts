import { glob } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { checkApplied, noteApplied } from './applied-migrations.ts';
import { applyDefinitions } from './apply-definitions.ts';
import { type Calls, readCalls } from './calls.ts';
import { checkCalled, checkPending, checkServed, noteReleased, readProtected } from './compatibility.ts';
import { waitedTooLong, wasUndone } from './conflicts.ts';
import { readDefinitions } from './definitions.ts';
import { checkEmpty, checkLayout, loadMigrations, MIGRATION_FILES } from './migrations.ts';
import { IDLE_IN_TRANSACTION_MS } from './pool.ts';
import { withSession } from './session.ts';

const MIGRATORS_LOCK = 884_424;
const POLL_MS = 100; // no waiting statement in PostgreSQL: `create index concurrently` would wait for it

/**
 * `lockMs`: how long a migration waits for a lock; other statements queue behind it. `attempts`: attempts before it gives
 * up.
 */
const patience = { lockMs: 2_000, pauseMs: 3_000, attempts: 100 };

/** The code that is released. `isAlone`: no other version runs beside it or is returned to, as on a developer's machine. */
type Release = { version: string; isAlone: boolean };

/**
 * Brings a database up to date: the schema of the queue, then ours, migration by migration. Safe to repeat and to run concurrently: the second run
 * waits. Safe under traffic: if a lock is not granted within `lockMs`, the attempt ends and is repeated after `pauseMs`. A database that a later
 * version has migrated is left unchanged, because platforms also run the release of a version to which they roll back. Throws if an applied migration
 * was edited, if the database is another application's or has an earlier layout, if the release would take away what the release before or a running
 * process calls, or if it is rolled back to a version that the database no longer serves.
 */
export async function migrate(
  url: string,
  log: (line: string) => void = () => {},
  options: Partial<Release & typeof patience> = {},
): Promise<void> {
  const { version, isAlone, lockMs, pauseMs, attempts } = {
    version: 'unknown',
    isAlone: false,
    ...patience,
    ...options,
  };
  const limits = {
    lock_timeout: String(lockMs),
    statement_timeout: '0', // overrides a limit of the role, such as that of web behind a pooler: building the index of a large table takes longer
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS), // a release that is suspended lets go of the tables that it has locked
  };
  const pool = new pg.Pool({ connectionString: withSession(url, limits), max: 2 });
  const onError = (error: Error) => log(error.message);
  pool.on('error', onError);
  pool.on('connect', (connection) => connection.on('error', onError));
  const client = await pool.connect();
  try {
    await waitForTurn(client, log);
    for (let left = attempts; ; left -= 1) {
      const isDone = await attempt(pool, client, log, { version, isAlone }).catch((error) => {
        if (left <= 1 || !(waitedTooLong(error) || wasUndone(error))) throw error;
      });
      if (isDone) return;
      log('A lock did not come in time; the migration retries after a pause');
      await sleep(pauseMs);
    }
  } finally {
    client.release(true); // closing the connection releases the migrators' lock
    await pool.end();
  }
}

async function waitForTurn(client: pg.PoolClient, log: (line: string) => void): Promise<void> {
  for (let isLogged = false; ; isLogged = true) {
    const { rows } = await client.query(`select pg_try_advisory_lock(${MIGRATORS_LOCK}) as is_ours`);
    if (rows[0].is_ours) return;
    if (!isLogged) log('Another release migrates the database; this one waits for it');
    await sleep(POLL_MS);
  }
}

async function attempt(
  pool: pg.Pool,
  client: pg.PoolClient,
  log: (line: string) => void,
  { version, isAlone }: Release,
): Promise<true> {
  await client.query('rollback; reset lock_timeout'); // an earlier attempt may have left a transaction open, or a step without a limit
  const paths = await Array.fromAsync(glob(MIGRATION_FILES));
  const calls = await readCalls();
  const protectedCode = isAlone ? [] : await readProtected(client, calls);
  if (await hasMigrations(client)) {
    await checkLayout(client);
    if (await checkApplied(client, paths, { mayBeNewer: !isAlone })) return leaveNewer(client, log, calls);
    await checkPending(client, paths, protectedCode);
    await checkCalled(client, calls, protectedCode);
  } else await checkEmpty(client);
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
  await applyDefinitions(client, log, await readDefinitions(), { protectedCode, tasks: calls.tasks });
  await noteReleased(client, version, calls);
  return true;
}

async function leaveNewer(client: pg.PoolClient, log: (line: string) => void, calls: Calls): Promise<true> {
  await checkServed(client, calls);
  log('The database was migrated by a later version, serves this one too, and stays as it is');
  return true;
}

async function hasMigrations(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('migrations') is not null as there`);
  return rows[0].there;
}
