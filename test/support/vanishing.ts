import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { isAlive } from '../../src/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A way to the database: an address of its own, whose packets a firewall can drop. */
type Way = {
  url: string;
  /** Drops every packet from now on, without a word to either end. */
  drop(): Promise<void>;
  /** Carries packets again. */
  carry(): Promise<void>;
};

/** A migrated PostgreSQL of its own, reached over TCP by several ways and through its socket. */
export type VanishingDatabase = { url: string; ways: Record<'web' | 'worker', Way>; drop(): Promise<void> };

const PORT = 5432;

/** Whether packets can be dropped here. */
export const canDrop = (): Promise<boolean> =>
  promisify(execFile)('nft', ['list', 'tables']).then(
    () => true,
    () => false,
  );

/** Starts the database with one way for web and one for workers. */
export async function openVanishing(): Promise<VanishingDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-vanish-`));
  const net = `127.${1 + (process.pid % 254)}.${Math.floor(Math.random() * 256)}`;
  const addresses = { web: `${net}.1`, worker: `${net}.2` };
  const settings = { listen_addresses: Object.values(addresses).join(), max_connections: 300 };
  const server = await startEmbedded({ dataDir, settings });
  const end = () => isAlive(server.pid()) && process.kill(server.pid(), 'SIGQUIT');
  process.once('exit', end);
  const rules = join(dataDir, 'pg_hba.conf');
  await writeFile(rules, `host all all 127.0.0.0/8 trust\n${await readFile(rules, 'utf8')}`);
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(`alter system set synchronous_commit = 'on'`);
  await client.query('select pg_reload_conf()');
  await client.end();
  await migrate(server.url);
  const ways = { web: wayTo(addresses.web), worker: wayTo(addresses.worker) };
  return {
    url: server.url,
    ways,
    async drop() {
      await Promise.all(Object.values(ways).map((way) => way.carry()));
      await server.stop('immediate');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function wayTo(address: string): Way {
  const table = `vanish_${address.replaceAll('.', '_')}`;
  const rules = `table inet ${table} {
    chain out {
      type filter hook output priority 0;
      ip daddr ${address} tcp dport ${PORT} drop
      ip saddr ${address} tcp sport ${PORT} drop
    }
  }`;
  const remove = ['delete', 'table', 'inet', table];
  let isDropping = false;
  process.once('exit', () => isDropping && execFileSync('nft', remove));
  return {
    url: `postgres://tps@${address}:${PORT}/tps`,
    async drop() {
      isDropping = true;
      await promisify(execFile)('nft', [rules]);
    },
    async carry() {
      if (isDropping) await promisify(execFile)('nft', remove);
      isDropping = false;
    },
  };
}
