import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { socketDirOf } from '../../src/db/embedded/launch.ts';
import { findPostmaster, isAlive, stopPostmaster } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';

/** A database of one's own, migrated and empty; `drop` cuts off whoever is still connected. */
type TestDatabase = Pick<Embedded, 'url' | 'connection'> & { drop(): Promise<void> };

type Running = { server: Embedded; dataDir: string };

/** A power failure may take the tests' data; a crash of the server alone still keeps what was committed. */
const carelessly = { fsync: 'off', full_page_writes: 'off', jit: 'off' };
const template = 'tps_template';

let running: Promise<Running> | undefined;
let migrated: Promise<void> | undefined;
let made = 0;

/** A copy of a database migrated once per process; starts the server at the first call. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { server } = await start();
  migrated ??= makeTemplate(server);
  await migrated;
  const name = `test_${++made}`;
  await command(server, `create database ${name} template ${template}`);
  return { ...named(server, name), drop: () => command(server, `drop database if exists ${name} with (force)`) };
}

/** Stops the tests' server, if there was one, and removes its data. */
export async function stopPostgres(): Promise<void> {
  const started = await running?.catch(() => null); // the test that wanted it has told
  if (!started) return;
  const { server, dataDir } = started;
  running = migrated = undefined;
  await server.stop('immediate');
  await rm(dataDir, { recursive: true, force: true });
}

function start(): Promise<Running> {
  running ??= startInTemporaryPlace();
  return running;
}

async function startInTemporaryPlace(): Promise<Running> {
  await removeLeftovers();
  const dataDir = join(tmpdir(), `tps-test-${process.pid}`);
  const server = await startEmbedded({ dataDir, settings: carelessly, ...binariesFor() });
  endWithUs(server);
  return { server, dataDir };
}

/** Servers and data of test runs that were killed; what belongs to another account is left to it. */
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

/** The server programs asked for by TEST_POSTGRES, a major version; without it those of the npm package. */
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

/** For runs that end before the hooks: the server goes at once, its data at the next run. */
function endWithUs(server: Embedded): void {
  process.once('exit', () => isAlive(server.pid()) && process.kill(server.pid(), 'SIGQUIT'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}

/** Loaded late: tests without a migrated database do without the migrations' libraries, too. */
async function makeTemplate(server: Embedded): Promise<void> {
  await command(server, `create database ${template}`);
  const { migrate } = await import('../../src/db/migrate.ts');
  await migrate(named(server, template).url);
}

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
