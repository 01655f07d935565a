import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, type FileHandle, lstat, mkdir, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, handOver, spawnArgsAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { clearStaleLocks } from './postmaster.ts';

/** A server to launch: its directory, programs and account, and settings that override `postgresql.conf`. */
export type Server = {
  dataDir: string;
  binaries: Binaries;
  account: Account;
  settings: Record<string, string | number>;
};

const logLimitBytes = 10_000_000;
/** The whole path of the socket is limited to 103 bytes (macOS; Linux: 107). The file name takes 14 of them. */
const socketDirLimitBytes = 88;

/**
 * Launches the server in its own session, so that Ctrl-C in our terminal does not reach it. Calls `onExit` when it
 * ends.
 */
export async function launch(server: Server, onExit: () => void): Promise<void> {
  const { dataDir, account, binaries } = server;
  await handOver(dataDir, account);
  const socketDir = await makeSocketDir(dataDir, account);
  await clearStaleLocks(dataDir, socketDir);
  const settings = Object.entries({ ...server.settings, unix_socket_directories: socketDir });
  const args = ['-D', dataDir, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = await openLog(dataDir, account);
  const [command, rest, options] = spawnArgsAs(account, binaries.postgres, args);
  const child = spawn(command, rest, { ...options, detached: true, stdio: ['ignore', log.fd, log.fd] });
  child.on('exit', onExit).on('error', onExit).unref();
  await log.close();
}

/** The socket directory of a data directory (absolute path): a short path, the same at every start. */
export function socketDirOf(dataDir: string): string {
  const name = `tps-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const dir = join(tmpdir(), name);
  return Buffer.byteLength(dir) > socketDirLimitBytes ? join('/tmp', name) : dir;
}

/** The last lines of the server's log, for an error message. */
export async function logTail(dataDir: string): Promise<string> {
  const log = await readFile(logFile(dataDir), 'utf8').catch(() => '(no log)');
  return log.trimEnd().split('\n').slice(-15).join('\n');
}

/** Throws if a directory of that name belongs to another account, which could intercept connections. */
async function makeSocketDir(dataDir: string, account: Account): Promise<string> {
  const dir = socketDirOf(dataDir);
  await mkdir(dir, { mode: 0o700 }).catch(() => {});
  const found = await lstat(dir);
  const ours = [process.getuid?.(), account.owner?.uid].includes(found.uid);
  if (!found.isDirectory() || !ours) throw new Error(`${dir} belongs to another account.`);
  await handOver(dir, account);
  await chmod(dir, 0o700);
  return dir;
}

async function openLog(dataDir: string, { owner }: Account): Promise<FileHandle> {
  const log = await open(logFile(dataDir), 'a', 0o600);
  if (owner) await log.chown(owner.uid, owner.gid);
  if ((await log.stat()).size > logLimitBytes) await log.truncate();
  return log;
}

/** Where a server on a data directory writes its log. */
export function logFile(dataDir: string): string {
  return join(dataDir, 'server.log');
}
