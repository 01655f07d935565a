import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { until } from './processes.ts';

/** A PgBouncer in transaction mode before one database. */
export type Pooler = {
  version: string;
  /** The settings that send web through it, and everything that needs a session past it. */
  settings: { DATABASE_URL: string; DATABASE_DIRECT_URL: string; DATABASE_POOLER: string };
  stop(): Promise<void>;
};

type Server = { url: string; connection: { host: string; port: number; user: string; database: string } };

/** The path of PgBouncer on this machine, or null. */
export const findPgbouncer = (): string | null =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((dir) => join(dir, 'pgbouncer'))
    .find((file) => existsSync(file)) ?? null;

/**
 * Starts PgBouncer with a limit of connections to the server, on a free port of this machine, as the account that may
 * reach the server.
 */
export async function startPgbouncer(program: string, server: Server, connections: number): Promise<Pooler> {
  const { host, port, user, database } = server.connection;
  const [listenPort, owner] = await Promise.all([freePort(), stat(host)]);
  const dir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-pgbouncer-`));
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(file, settingsFile({ host, port, user, listenPort, connections }));
  if (process.getuid?.() === 0) await Promise.all([dir, file].map((path) => chown(path, owner.uid, owner.gid)));
  const child = spawn(program, [file], {
    ...(process.getuid?.() === 0 && { uid: owner.uid, gid: owner.gid }),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const data: string[] = [];
  child.stderr.on('data', (chunk) => data.push(String(chunk)));
  const ended = once(child, 'exit');
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const url = `postgres://${user}@127.0.0.1:${listenPort}/${database}`;
  await until('PgBouncer', () => responses(url), 10_000).catch((cause) => {
    throw new Error(`PgBouncer does not respond:\n${data.join('')}`, { cause });
  });
  return {
    version: await versionOf(program),
    settings: { DATABASE_URL: url, DATABASE_DIRECT_URL: server.url, DATABASE_POOLER: 'transaction' },
    async stop() {
      process.off('exit', endWithUs);
      child.kill('SIGQUIT'); // at once: its clients have disconnected
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Settings = { host: string; port: number; user: string; listenPort: number; connections: number };

const settingsFile = ({ host, port, user, listenPort, connections }: Settings) => `[databases]
* = host=${host} port=${port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
server_login_retry = 1
`;

async function responses(url: string): Promise<true | null> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {}); // it is not listening yet
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  return stdout.split('\n')[0] ?? '';
}
