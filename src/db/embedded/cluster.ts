import { execFile } from 'node:child_process';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, handOver, spawnArgsAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './postmaster.ts';

/**
 * Creates the data directory if there is none: UTF-8, byte order, superuser `tps` trusted on the socket, no passwords.
 * It appears complete or not at all, even if the process is killed. If two processes create it at once, the first wins
 * and both continue.
 */
export async function createCluster(dataDir: string, binaries: Binaries, account: Account): Promise<void> {
  if (await isCluster(dataDir)) return;
  await removeAbandonedDrafts(dataDir);
  const draft = `${dataDir}.draft-${process.pid}`;
  await mkdir(draft, { mode: 0o700 });
  await handOver(draft, account);
  await initialize(draft, binaries, account);
  await publish(draft, dataDir);
}

function isCluster(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

async function initialize(dir: string, { initdb, major }: Binaries, account: Account): Promise<void> {
  const args = ['-D', dir, '-U', 'tps', '-E', 'UTF8', '--locale=C', '--auth-local=trust', '--auth-host=reject'];
  const unicode = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  await promisify(execFile)(...spawnArgsAs(account, initdb, [...args, ...unicode]));
}

async function publish(draft: string, dataDir: string): Promise<void> {
  try {
    await rename(draft, dataDir);
  } catch (cause) {
    await rm(draft, { recursive: true });
    if (!(await isCluster(dataDir)))
      throw new Error(`${dataDir} exists and is not a PostgreSQL data directory.`, { cause });
  }
}

async function removeAbandonedDrafts(dataDir: string): Promise<void> {
  const prefix = `${basename(dataDir)}.draft-`;
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue;
    await rm(join(dirname(dataDir), name), { recursive: true, force: true });
  }
}
