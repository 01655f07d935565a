import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { isAlive } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openAddress } from './address.ts';
import { until } from './processes.ts';

/** A migrated database on two servers: the second has every commit before it is acknowledged. */
export type Replicated = {
  /** The platform's floating address: it leads to the current primary. */
  url: string;
  /** The address of the standby itself. */
  standbyUrl: string;
  version: string;
  /**
   * Kills the primary permanently and removes its data, promotes the standby and points the address at it. Returns the
   * time of the promotion, by the standby's clock.
   */
  failOver(): Promise<string>;
  drop(): Promise<void>;
};

const STANDBY = 'standby';

/** Starts a primary with a synchronous standby, which is a copy of it while it was stopped. */
export async function openReplicated(): Promise<Replicated> {
  const folder = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-replicated-`));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await makeTwins(first, second);
  const primary = await startEmbedded({ dataDir: first, settings: { synchronous_standby_names: STANDBY } });
  const { host, port, user } = primary.connection;
  const primary_conninfo = `host=${host} port=${port} user=${user} application_name=${STANDBY}`;
  await writeFile(join(second, 'standby.signal'), '');
  const standby = await startEmbedded({ dataDir: second, settings: { primary_conninfo } });
  process.once('exit', () => [primary, standby].forEach(killServer));
  await until('the standby in step', () => isInStep(primary));
  const address = await openAddress(socketOf(primary));
  return {
    url: `postgres://${user}@127.0.0.1:${address.port}/${primary.connection.database}`,
    standbyUrl: standby.url,
    version: primary.version,
    async failOver() {
      await killPermanently(primary, first);
      const promotedAt = await promote(standby);
      address.leadTo(socketOf(standby));
      return promotedAt;
    },
    async drop() {
      await address.close();
      if (isAlive(primary.pid())) await primary.stop('immediate');
      await standby.stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeTwins(first: string, second: string): Promise<void> {
  const server = await startEmbedded({ dataDir: first });
  await migrate(server.url);
  await server.stop();
  await promisify(execFile)('cp', ['-a', first, second]);
}

async function isInStep(primary: Embedded): Promise<true | null> {
  const [row] = await ask(primary, 'select sync_state from pg_stat_replication');
  return row?.sync_state === 'sync' || null;
}

/** The time of the standby when it begins to accept writes. */
async function promote(standby: Embedded): Promise<string> {
  const [row] = await ask(standby, 'select pg_promote(true, 60) as is_promoted');
  if (!row?.is_promoted) throw new Error('The standby was not promoted');
  const [clock] = await ask(standby, 'select clock_timestamp()::text as at');
  return String(clock?.at);
}

/** Kills every process of the server at once, without a shutdown, and then removes its data. */
async function killPermanently(server: Embedded, dataDir: string): Promise<void> {
  const pids = [server.pid(), ...(await childrenOf(server.pid()))];
  for (const pid of pids) killProcess(pid);
  await until('the primary dead', () => !pids.some(isAlive) || null);
  await rm(dataDir, { recursive: true, force: true });
  await rm(server.socketDir, { recursive: true, force: true });
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, n) => parents[n] === parent);
}

/** The second field behind the name in the kernel's line: the name itself may hold anything. */
async function parentOf(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // it may have ended
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1]);
}

const killServer = (server: Embedded) => killProcess(server.pid(), 'SIGQUIT');

function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (isAlive(pid)) process.kill(pid, signal);
}

async function ask({ connection }: Embedded, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection, ssl: false });
  client.on('error', () => {}); // the result of its command reports the failure
  await client.connect();
  const result = client.query<Record<string, unknown>>(text).finally(() => client.end());
  return (await result).rows;
}

const socketOf = ({ connection: { host, port } }: Embedded) => `${host}/.s.PGSQL.${port}`;
