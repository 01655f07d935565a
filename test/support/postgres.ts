import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { socketDirOf } from '../../src/db/embedded/launch.ts';
import { findPostmaster, isAlive, stopPostmaster } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';

/** A separate database, migrated and empty; `drop` disconnects every remaining client. */
type TestDatabase = Pick<Embedded, 'url' | 'connection'> & { drop(): Promise<void> };

type Running = { server: Embedded; dataDir: string };

/**
 * A power failure may lose the tests' data; a crash of the server alone still keeps committed data. A statement is planned once per
 * session, not up to six times: sessions of tests are short, and most of what their servers computed were plans.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', jit: 'off', plan_cache_mode: 'force_generic_plan' };
/** The migrated database that those of the tests are copied from. */
export const TEMPLATE = 'tps_template';
/** The data directory of a server that the whole suite shares; NO_SERVER when no test may need a database. */
const SHARED = process.env.TEST_SERVER;
export const NO_SERVER = 'none';

let running: Promise<Running> | undefined;
let migrated: Promise<void> | undefined;
let made = 0;

/** With `ownPlans` PostgreSQL chooses between plans as it does in production: for tests of plans. */
export type DatabaseOptions = { ownPlans?: true };

/**
 * A copy of a database that is migrated once per server; starts a server at the first call when the suite shares none.
 */
export async function freshDatabase({ ownPlans }: DatabaseOptions = {}): Promise<TestDatabase> {
  if (SHARED === NO_SERVER) throw new Error('This test needs a database: test:quick is not for it.');
  const { server } = await start();
  if (!SHARED) migrated ??= makeTemplate(server);
  await migrated;
  const name = `test_${process.pid}_${++made}`;
  await command(server, `create database ${name} template ${TEMPLATE} strategy file_copy`); // half the time of wal_log
  if (ownPlans) await command(server, `alter database ${name} set plan_cache_mode = auto`);
  const database = named(server, name);
  SERVED.add(name);
  const drop = async () => {
    // a pool that has ended may still be saying so: cut off meanwhile, it would throw
    await command(server, `select pg_sleep(0.1) from pg_stat_activity where datname = '${name}' limit 1`);
    await command(server, `drop database if exists ${name} with (force)`);
  };
  return { ...database, drop };
}

/** Starts the server that the processes of a suite share, with its template. Returns the value for TEST_SERVER. */
export async function startShared(): Promise<string> {
  const { server, dataDir } = await start();
  await makeTemplate(server);
  return dataDir;
}

/** Stops the tests' server, if there was one, and removes its data. */
export async function stopPostgres(): Promise<void> {
  const started = await running?.catch(() => null); // the test that needed it has reported the failure
  if (!started) return;
  const { server, dataDir } = started;
  running = migrated = undefined;
  await server.stop('immediate');
  if (server.owned) await rm(dataDir, { recursive: true, force: true });
}

function start(): Promise<Running> {
  running ??= SHARED ? adopt(SHARED) : startInTemporaryFolder();
  return running;
}

/** Connects to the suite's server, which this process must not stop. */
async function adopt(dataDir: string): Promise<Running> {
  return { server: await startEmbedded({ dataDir }), dataDir };
}

async function startInTemporaryFolder(): Promise<Running> {
  await removeLeftovers();
  const dataDir = join(tmpdir(), `tps-test-${process.pid}`);
  const server = await startEmbedded({ dataDir, settings: SETTINGS, ...binariesFor() });
  endWithUs(server);
  return { server, dataDir };
}

/** Removes servers and data of killed test runs; those of another account are kept. */
async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir());
  const dead = names.filter((name) => !isAlive(Number(/^tps-test-(\d+)/.exec(name)?.[1] ?? process.pid)));
  await Promise.allSettled(dead.map((name) => removeLeftover(join(tmpdir(), name))));
}

async function removeLeftover(dataDir: string): Promise<void> {
  const postmaster = await findPostmaster(dataDir);
  if (postmaster) await stopPostmaster(dataDir, postmaster.pid, 'immediate');
  await rm(socketDirOf(dataDir), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/** The server programs requested by TEST_POSTGRES, a major version; without it those of the npm package. */
function binariesFor(version = process.env.TEST_POSTGRES): { binDir?: string } {
  if (!version) return {};
  const binDir = [`/usr/lib/postgresql/${version}/bin`, configured(version)].find((dir) => dir && existsSync(dir));
  if (!binDir) throw new Error(`TEST_POSTGRES=${version}, but there is no PostgreSQL ${version} on this machine.`);
  return { binDir };
}

function configured(version: string): string | undefined {
  const ask = (option: string) => execFileSync('pg_config', [option], { encoding: 'utf8' }).trim();
  try {
    return ask('--version').startsWith(`PostgreSQL ${version}`) ? ask('--bindir') : undefined;
  } catch {
    return undefined;
  }
}

/** For runs that end before the hooks: the server stops at once, its data is removed by the next run. */
function endWithUs(server: Embedded): void {
  process.once('exit', () => isAlive(server.pid()) && process.kill(server.pid(), 'SIGQUIT'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}

/** Loaded lazily, so that tests without a migrated database do not load the migrations' libraries. */
async function makeTemplate(server: Embedded): Promise<void> {
  await command(server, `create database ${TEMPLATE}`);
  await release(named(server, TEMPLATE).url);
  for (const process of PROCESSES)
    await command(server, `create role ${loginOf(process)} login in role trading_${process}`);
}

/** Migrates a database by this version, or by the one whose folder is TEST_RELEASE: then these tests run on its schema. */
async function release(url: string): Promise<void> {
  if (process.env.TEST_RELEASE) migrateBy(process.env.TEST_RELEASE, url);
  else await (await import('../../src/db/migrate.ts')).migrate(url);
}

/** Migrates a database by the version in a folder. Throws an error with what it said. */
export function migrateBy(folder: string, url: string): void {
  const program = 'const { migrate } = await import(process.argv[1]); await migrate(process.argv[2]);';
  const args = ['--input-type=module', '-e', program, join(folder, 'src/db/migrate.ts'), url];
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
}

const PROCESSES = ['web', 'worker'] as const;
type Process = (typeof PROCESSES)[number];
const loginOf = (process: Process) => `tps_${process}`;

/** Settings whose addresses of databases are those for a process: with the log-in that has its rights, not the owner's. */
export const addressedAs = (process: Process, settings: Record<string, string>): Record<string, string> => ({
  ...settings,
  ...Object.fromEntries(ADDRESSES.flatMap((name) => (settings[name] ? [[name, urlFor(process, settings[name])]] : []))),
});

const ADDRESSES = ['DATABASE_URL', 'DATABASE_DIRECT_URL'];

/** Whichever way an address leads to the database; one on another server is unchanged. */
const urlFor = (process: Process, url: string): string =>
  SERVED.has(databaseOf(url)) ? url.replace('//tps@', `//${loginOf(process)}@`) : url;

/** The names of the databases that were copied from the template: their server has the roles. */
const SERVED = new Set<string>();
const databaseOf = (url: string): string => /\/([^/?]+)(\?|$)/.exec(url)?.[1] ?? '';

function named(server: Embedded, database: string): Pick<Embedded, 'url' | 'connection'> {
  return {
    url: server.url.replace(/[^/]+$/, database),
    connection: { ...server.connection, database },
  };
}

async function command(server: Embedded, statement: string): Promise<void> {
  const client = new Client({ ...server.connection, ssl: false });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
