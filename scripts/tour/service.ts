import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A running service, a partner key of it, and the control address of its sandbox, where the ledger is read. */
export type Service = { url: string; key: string; controlUrl: string; stop(): Promise<void> };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_WITHIN_MS = 60_000; // a first start makes a database

/**
 * The service the environment names: TOUR_URL, TOUR_KEY and TOUR_CONTROL_URL, as `npm start` prints them. Without TOUR_URL a
 * service of its own is started on a free port, with data that is thrown away afterwards.
 */
export async function findService({ TOUR_URL, TOUR_KEY, TOUR_CONTROL_URL }: NodeJS.ProcessEnv): Promise<Service> {
  if (!TOUR_URL) return bootService();
  if (!TOUR_KEY || !TOUR_CONTROL_URL) throw new Error('With TOUR_URL, set TOUR_KEY and TOUR_CONTROL_URL as well.');
  return {
    url: TOUR_URL.replace(/\/$/, ''),
    key: TOUR_KEY,
    controlUrl: TOUR_CONTROL_URL.replace(/\/ledger$/, ''),
    stop: async () => {},
  };
}

async function bootService(): Promise<Service> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tps-tour-'));
  const { DATABASE_URL: _, DATABASE_DIRECT_URL: __, ...env } = process.env; // the tour leaves real databases alone
  const child = spawn(process.execPath, ['src/start.ts'], {
    cwd: ROOT,
    env: { ...env, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C reaches the tour, which stops it in order
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  };
  process.once('exit', () => child.kill('SIGTERM'));
  return { ...(await greeting(child).catch((error) => stop().then(() => Promise.reject(error)))), stop };
}

/** What the service prints when it is up; every line a name, then a value. */
async function greeting(child: ChildProcessByStdio<null, Readable, null>): Promise<Omit<Service, 'stop'>> {
  const said: string[] = [];
  const told = (pattern: RegExp) => said.map((line) => pattern.exec(line)?.[1]).find(Boolean);
  const tooLate = setTimeout(() => child.kill('SIGTERM'), START_WITHIN_MS);
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    const url = told(/Trading Partner Service\s+(http\S+)/);
    const key = told(/partner key \(shown once\)\s+(\S+)/);
    const ledger = told(/sandbox ledger\s+(http\S+)/);
    if (!url || !key || !ledger) continue;
    clearTimeout(tooLate);
    return { url, key, controlUrl: ledger.replace(/\/ledger$/, '') };
  }
  throw new Error(`The service did not start:\n${said.join('\n')}`);
}
