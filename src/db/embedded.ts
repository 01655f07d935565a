import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { chooseAccount, handOver } from './embedded/account.ts';
import { findBinaries } from './embedded/binaries.ts';
import { createCluster } from './embedded/cluster.ts';
import { launch, logTail, type Server, socketDirOf } from './embedded/launch.ts';
import { findPostmaster, type Postmaster, stopPostmaster } from './embedded/postmaster.ts';

type Options = {
  dataDir: string;
  /** Server settings that override the defaults below, by their PostgreSQL names. */
  settings?: Record<string, string | number>;
  /** A directory with other server programs, such as /usr/lib/postgresql/15/bin (Debian's). */
  binDir?: string;
};

/** A running server. It is reachable only through its unix socket. */
export type Embedded = {
  url: string;
  connection: { host: string; port: number; user: string; database: string };
  socketDir: string;
  version: string;
  /** False if another live process of ours started or adopted the server first. `stop` does not stop it then. */
  owned: boolean;
  pid(): number;
  /**
   * Call last. `fast` disconnects clients and writes a checkpoint; `immediate` is a crash with recovery at the next
   * start.
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
};

/** The connection that stays open with the server. The published types of `Client` lack these two methods. */
type Companion = Client & { ref(): void; unref(): void };

/** Long, because a start after a crash replays everything committed since the last checkpoint. */
const startTimeoutMs = 60_000;
/** The first failed launch may have lost a race with another process. A second failure is a real one. */
const launches = 2;
/** The advisory lock of the process that owns the server. PostgreSQL releases it when that process dies. */
const ownership = 0x747073;
const ownershipTimeoutMs = 300;

const defaults = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 200,
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts PostgreSQL on a data directory, created if absent, and resolves when it accepts connections to database `tps`.
 * A server that is still running from an earlier process is adopted. Signals to our process group do not reach it.
 * Throws an error with the end of the server's log if the server does not start.
 */
export async function startEmbedded({ dataDir, settings = {}, binDir }: Options): Promise<Embedded> {
  const server = await prepare(resolve(dataDir), { ...defaults, ...settings, port: defaults.port }, binDir);
  const { client, postmaster } = await untilReady(server);
  const { version, owned } = await setUpDatabase(client);
  client.unref();
  let stopped: Promise<void> | undefined;
  const stop = async (mode: 'fast' | 'immediate') => {
    if (owned) await stopPostmaster(server.dataDir, postmaster.pid, mode);
    client.ref();
    await client.end().catch(() => {});
    if (owned) await rmdir(postmaster.socketDir).catch(() => {});
  };
  return {
    ...address(postmaster.socketDir),
    socketDir: postmaster.socketDir,
    version,
    owned,
    pid: () => postmaster.pid,
    stop: (mode = 'fast') => {
      stopped ??= stop(mode);
      return stopped;
    },
  };
}

async function prepare(dataDir: string, settings: Server['settings'], binDir?: string): Promise<Server> {
  const made = await mkdir(dirname(dataDir), { recursive: true });
  const binaries = await findBinaries(binDir);
  const account = await chooseAccount(binaries.postgres, dataDir);
  if (made) await handOver(made, account);
  await createCluster(dataDir, binaries, account);
  return { dataDir, binaries, account, settings };
}

async function untilReady(server: Server): Promise<{ client: Companion; postmaster: Postmaster }> {
  let launched = 0;
  let exited = true;
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await sleep(15)) {
    const postmaster = await findPostmaster(server.dataDir);
    const client = postmaster && (await tryConnect(postmaster.socketDir));
    if (client) return { client, postmaster };
    if (postmaster || !exited) continue;
    if (launched++ === launches) break;
    exited = false;
    await launch(server, () => {
      exited = true;
    });
  }
  await rmdir(socketDirOf(server.dataDir)).catch(() => {});
  throw new Error(`PostgreSQL did not start on ${server.dataDir}:\n${await logTail(server.dataDir)}`);
}

function address(socketDir: string, database = 'tps'): Pick<Embedded, 'url' | 'connection'> {
  const url = `postgres://tps@${encodeURIComponent(socketDir)}:${defaults.port}/${database}`;
  return { url, connection: { host: socketDir, port: defaults.port, user: 'tps', database } };
}

async function tryConnect(socketDir: string): Promise<Companion | null> {
  const client = new Client({ ...address(socketDir, 'postgres').connection, ssl: false }) as Companion;
  client.on('error', () => {}); // expected: the server stops before this client closes
  return client.connect().then(
    () => client,
    () => null,
  );
}

async function setUpDatabase(client: Companion): Promise<{ version: string; owned: boolean }> {
  const existing = await client.query(`select from pg_database where datname = 'tps'`);
  if (!existing.rowCount) await client.query('create database tps').catch(allowDuplicate);
  const { rows } = await client.query(`select current_setting('server_version') as version`);
  return { version: rows[0].version, owned: await claimDatabase(client) };
}

/** Waits for a short time: the server may not have noticed yet that the previous owner is dead. */
async function claimDatabase(client: Companion): Promise<boolean> {
  await client.query(`set lock_timeout = '${ownershipTimeoutMs}ms'`);
  return client.query('select pg_advisory_lock($1)', [ownership]).then(
    () => true,
    () => false,
  );
}

/** Another process may have created it meanwhile (duplicate_database, or a violation of the unique index). */
function allowDuplicate(problem: { code?: string }): void {
  if (!['42P04', '23505'].includes(problem.code ?? '')) throw problem;
}
