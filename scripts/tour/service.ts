import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A running service, a partner key of it, and the addresses of the ledgers that its sandbox's parties keep. */
export type Service = { url: string; key: string; ledgers: string[]; stop(): Promise<void> };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_WITHIN_MS = 60_000; // a first start makes a database

/**
 * The service the environment names: TOUR_URL, TOUR_KEY and TOUR_LEDGERS (addresses, parted by commas), as `npm start` prints
 * them. Without TOUR_URL a service of its own is started on a free port, with data that is thrown away afterwards.
 */
export async function findService({ TOUR_URL, TOUR_KEY, TOUR_LEDGERS }: NodeJS.ProcessEnv): Promise<Service> {
  if (!TOUR_URL) return bootService();
  if (!TOUR_KEY || !TOUR_LEDGERS) throw new Error('With TOUR_URL, set TOUR_KEY and TOUR_LEDGERS as well.');
  return { url: TOUR_URL.replace(/\/$/, ''), key: TOUR_KEY, ledgers: TOUR_LEDGERS.split(','), stop: async () => {} };
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

/** What the service prints when it is up: a name and a value on each line, the partner key after the ledgers. */
async function greeting(child: ChildProcessByStdio<null, Readable, null>): Promise<Omit<Service, 'stop'>> {
  const said: string[] = [];
  const told = (pattern: RegExp) => said.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const tooLate = setTimeout(() => child.kill('SIGTERM'), START_WITHIN_MS);
  for await (const line of createInterface(child.stdout)) {
    said.push(line);
    const [url] = told(/Trading Partner Service\s+(http\S+)/);
    const [key] = told(/partner key \(shown once\)\s+(\S+)/);
    if (!url || !key) continue;
    clearTimeout(tooLate);
    child.stdout.resume(); // its log goes on
    return { url, key, ledgers: told(/ledger\s+(http\S+)/) };
  }
  throw new Error(`The service did not start:\n${said.join('\n')}`);
}
