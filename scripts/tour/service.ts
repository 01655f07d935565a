import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A running service and what its greeting tells: who may call it, and where its sandbox's parties can be looked at. */
export type Service = {
  url: string;
  /** A partner's key. */
  key: string;
  /** A tenant app, to which a free and a paid tier are open. */
  app: { client_id: string; client_secret: string };
  /** Of the network, the exchange, the registrar and the processor. */
  ledgers: string[];
  /** Where mails are shown. */
  mails: string;
  stop(): Promise<void>;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_WITHIN_MS = 60_000; // a first start makes a database

const SETTINGS = ['TOUR_KEY', 'TOUR_CLIENT_ID', 'TOUR_CLIENT_SECRET', 'TOUR_LEDGERS', 'TOUR_MAILS'] as const;

/**
 * The service the environment names: TOUR_URL, and with it TOUR_KEY, TOUR_CLIENT_ID, TOUR_CLIENT_SECRET, TOUR_LEDGERS (four
 * addresses, parted by commas) and TOUR_MAILS, all as `npm start` prints them. Without TOUR_URL a service of its own is
 * started on a free port, with data that is thrown away afterwards.
 */
export async function findService({ TOUR_URL, ...env }: NodeJS.ProcessEnv): Promise<Service> {
  if (!TOUR_URL) return bootService();
  const [key, client_id, client_secret, ledgers, mails] = SETTINGS.map((name) => env[name]);
  if (!key || !client_id || !client_secret || !ledgers || !mails)
    throw new Error(`With TOUR_URL, set ${SETTINGS.join(', ')} as well.`);
  return {
    url: TOUR_URL.replace(/\/$/, ''),
    key,
    app: { client_id, client_secret },
    ledgers: ledgers.split(','),
    mails,
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

/** What the service prints when it is up: a name and a value on each line, the operator's last. */
async function greeting(child: ChildProcessByStdio<null, Readable, null>): Promise<Omit<Service, 'stop'>> {
  const said: string[] = [];
  const tooLate = setTimeout(() => child.kill('SIGTERM'), START_WITHIN_MS);
  try {
    for await (const line of createInterface(child.stdout)) {
      said.push(line);
      if (!/operator \(shown once\)/.test(line)) continue;
      child.stdout.resume(); // its log goes on
      return readGreeting(said);
    }
  } finally {
    clearTimeout(tooLate);
  }
  throw new Error(`The service did not start:\n${said.join('\n')}`);
}

function readGreeting(said: string[]): Omit<Service, 'stop'> {
  const all = (pattern: RegExp) => said.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const told = (pattern: RegExp) => {
    const [value] = all(pattern);
    if (value) return value;
    throw new Error(`The service did not tell ${pattern}:\n${said.join('\n')}`);
  };
  return {
    url: told(/Trading Partner Service\s+(http\S+)/),
    key: told(/partner key \(shown once\)\s+(\S+)/),
    app: { client_id: told(/client_id\s+(\S+)/), client_secret: told(/client_secret\s+(\S+)/) },
    ledgers: all(/ledger\s+(http\S+)/),
    mails: told(/sandbox mails\s+(http\S+)/),
  };
}
