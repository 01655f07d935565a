import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, tourSettings } from '../../config.ts';

/** A running service as its start output describes it: credentials, and the addresses of its sandbox. */
export type Service = {
  url: string;
  /** A partner's key. */
  key: string;
  /** A tenant app with a free and a paid tier. */
  app: { client_id: string; client_secret: string };
  /** The ledgers of the network, the exchange, the registrar and the processor, in this order. */
  ledgers: string[];
  /** The address of the sandbox's mailbox. */
  mails: string;
  stop(): Promise<void>;
};

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const START_WITHIN_MS = 60_000; // the first start creates a database

/**
 * The service that TOUR_URL and the other TOUR_… settings describe, with the values that `npm start` printed.
 * TOUR_LEDGERS is four addresses separated by commas. Without TOUR_URL it starts a service on a free port and deletes
 * its data afterwards. Throws if only some of the settings are set.
 */
export async function findService(): Promise<Service> {
  const named = tourSettings();
  if (!named) return bootService();
  return {
    url: named.TOUR_URL.replace(/\/$/, ''),
    key: named.TOUR_KEY,
    app: { client_id: named.TOUR_CLIENT_ID, client_secret: named.TOUR_CLIENT_SECRET },
    ledgers: named.TOUR_LEDGERS.split(','),
    mails: named.TOUR_MAILS,
    stop: async () => {},
  };
}

async function bootService(): Promise<Service> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tps-tour-'));
  const child = spawn(process.execPath, ['src/start.ts'], {
    cwd: ROOT,
    env: cleanEnvironment({ PORT: '0', DATA_DIR: dataDir }), // the tour never uses a real database
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C reaches only the tour, which then stops the service
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  };
  process.once('exit', () => child.kill('SIGTERM'));
  return { ...(await greeting(child).catch((error) => stop().then(() => Promise.reject(error)))), stop };
}

/** Reads what the service prints at its start: a name and a value per line, the operator's last. */
async function greeting(child: ChildProcessByStdio<null, Readable, null>): Promise<Omit<Service, 'stop'>> {
  const data: string[] = [];
  const timer = setTimeout(() => child.kill('SIGTERM'), START_WITHIN_MS);
  try {
    for await (const line of createInterface(child.stdout)) {
      data.push(line);
      if (!/operator \(shown once\)/.test(line)) continue;
      child.stdout.resume(); // its log goes on
      return readGreeting(data);
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`The service did not start:\n${data.join('\n')}`);
}

function readGreeting(data: string[]): Omit<Service, 'stop'> {
  const all = (pattern: RegExp) => data.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const required = (pattern: RegExp) => {
    const [value] = all(pattern);
    if (value) return value;
    throw new Error(`The service did not print ${pattern}:\n${data.join('\n')}`);
  };
  return {
    url: required(/Trading Partner Service\s+(http\S+)/),
    key: required(/partner key \(shown once\)\s+(\S+)/),
    app: { client_id: required(/client_id\s+(\S+)/), client_secret: required(/client_secret\s+(\S+)/) },
    ledgers: all(/ledger\s+(http\S+)/),
    mails: required(/sandbox mails\s+(http\S+)/),
  };
}
