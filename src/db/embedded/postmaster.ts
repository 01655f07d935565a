import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server at work on a data directory, as its own `postmaster.pid` tells. */
export type Postmaster = { pid: number; socketDir: string };

/** No process has this number, on any system: process ids end far below. */
const nobodysPid = '2147483647';

/** How long a clean stop may take before it is made an immediate one, which costs a recovery at the next start. */
const stopTimeoutMs = 20_000;

/** The server now running on the data directory, or null; a file left by a dead one counts as null. */
export async function findPostmaster(dataDir: string): Promise<Postmaster | null> {
  const [pid, , , , socketDir = ''] = (await readFile(pidFile(dataDir), 'utf8').catch(() => '')).split('\n');
  return isPostgres(Number(pid)) ? { pid: Number(pid), socketDir } : null;
}

/**
 * Corrects lock files whose number has passed to another program, as happens after a reboot or in a new container, and
 * would keep the server from starting. The rest of the file stays: by it the server looks for orphans of the dead one.
 */
export async function disownStrangers(dataDir: string, socketDir: string): Promise<void> {
  for (const file of [pidFile(dataDir), join(socketDir, '.s.PGSQL.5432.lock')]) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text && !isPostgres(Number.parseInt(text, 10))) await writeFile(file, text.replace(/^\d+/, nobodysPid));
  }
}

/** Stops the server and returns when it has let go of the data directory; its clients are cut off, not waited for. */
export async function stopPostmaster(dataDir: string, pid: number, mode: 'fast' | 'immediate'): Promise<void> {
  signal(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  if (await gone(dataDir, pid)) return;
  if (mode === 'immediate') throw new Error(`PostgreSQL (process ${pid}) does not stop.`);
  await stopPostmaster(dataDir, pid, 'immediate');
}

/** Whether a process of this number lives, be it someone else's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'; // what kill throws is always of this kind
  }
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}

/** Without /proc any live process is taken for the server: waiting in vain is better than two servers on one directory. */
function isPostgres(pid: number): boolean {
  if (!(pid > 0) || !isAlive(pid)) return false;
  if (!existsSync('/proc/self/cmdline')) return true;
  try {
    return /postgres|postmaster/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name);
}

async function gone(dataDir: string, pid: number): Promise<boolean> {
  for (const deadline = Date.now() + stopTimeoutMs; Date.now() < deadline; await sleep(10)) {
    if ((await findPostmaster(dataDir))?.pid !== pid) return true;
  }
  return false;
}
