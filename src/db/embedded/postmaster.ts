import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that runs on a data directory, according to its `postmaster.pid`. */
export type Postmaster = { pid: number; socketDir: string };

/** No process has this id: on every system process ids are far smaller. */
const unusedPid = '2147483647';

/** How long a fast stop may take. After that the stop is immediate, which needs a recovery at the next start. */
const stopTimeoutMs = 20_000;

/** The server that runs on the data directory; null if there is none, also when a dead server left its file. */
export async function findPostmaster(dataDir: string): Promise<Postmaster | null> {
  const [pid, , , , socketDir = ''] = (await readFile(pidFile(dataDir), 'utf8').catch(() => '')).split('\n');
  return isPostgres(Number(pid)) ? { pid: Number(pid), socketDir } : null;
}

/**
 * Corrects lock files whose process id now belongs to another program, as after a reboot or in a new container. Such a
 * file would prevent the server from starting. The rest of the file stays: the server uses it to find orphans of the
 * dead server.
 */
export async function clearStaleLocks(dataDir: string, socketDir: string): Promise<void> {
  for (const file of [pidFile(dataDir), join(socketDir, '.s.PGSQL.5432.lock')]) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text && !isPostgres(Number.parseInt(text, 10))) await writeFile(file, text.replace(/^\d+/, unusedPid));
  }
}

/**
 * Stops the server and resolves when it has released the data directory. Clients are disconnected. Throws if it does
 * not stop.
 */
export async function stopPostmaster(dataDir: string, pid: number, mode: 'fast' | 'immediate'): Promise<void> {
  signal(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  if (await hasStopped(dataDir, pid)) return;
  if (mode === 'immediate') throw new Error(`PostgreSQL (process ${pid}) does not stop.`);
  await stopPostmaster(dataDir, pid, 'immediate');
}

/** Whether a process with this id is alive, even if it belongs to another account. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'; // as: `kill` throws only errors of this type
  }
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}

/** Without /proc, any live process counts as the server: a useless wait is better than two servers on one directory. */
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

async function hasStopped(dataDir: string, pid: number): Promise<boolean> {
  for (const deadline = Date.now() + stopTimeoutMs; Date.now() < deadline; await sleep(10)) {
    if ((await findPostmaster(dataDir))?.pid !== pid) return true;
  }
  return false;
}
