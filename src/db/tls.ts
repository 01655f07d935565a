import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { type TlsChoice, type TlsMode, tlsModes } from '../kernel/tls-modes.ts';

/**
 * The address with the mode that its connections use. Where nothing names one, it asks the server, and waits until the
 * server responds; `onWait` is called with each failed attempt.
 */
export async function withTls(url: string, choice: TlsChoice, onWait: (error: Error) => void): Promise<string> {
  const address = new URL(url);
  const mode = chosenMode(address, choice) ?? ((await offersTls(address, onWait)) ? 'no-verify' : 'disable');
  address.searchParams.delete('ssl');
  address.searchParams.set('sslmode', mode);
  if (mode === 'verify-full' && choice.ca) address.searchParams.set('sslrootcert', choice.ca);
  return address.href;
}

const CHOSEN = { off: 'disable', require: 'no-verify', 'verify-full': 'verify-full' } as const;

function chosenMode({ searchParams }: URL, { mode, environment }: TlsChoice): TlsMode | null {
  if (mode !== 'auto') return CHOSEN[mode];
  const named = searchParams.get('sslmode') ?? (isTrue(searchParams.get('ssl')) ? 'require' : environment);
  return tlsModes[named ?? 'prefer'] ?? null;
}

const isTrue = (text: string | null) => text === 'true' || text === '1';

const FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;

/** The address for a driver that takes the TLS options beside it, and the options; false for no TLS. */
export function splitTls(url: string): { url: string; ssl: ConnectionOptions | false } {
  const address = new URL(url);
  const { searchParams } = address;
  const mode = searchParams.get('sslmode') ?? 'disable';
  const ssl: ConnectionOptions = { rejectUnauthorized: mode === 'verify-full' };
  for (const [option, name] of Object.entries(FILES)) {
    const file = searchParams.get(name);
    if (file) Object.assign(ssl, { [option]: readFileSync(file, 'utf8') });
  }
  for (const name of ['sslmode', ...Object.values(FILES)]) searchParams.delete(name);
  return { url: address.href, ssl: mode !== 'disable' && ssl };
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const DEFAULT_PORT = 5432;
const RESPONSE_WITHIN_MS = 5_000;
const RETRY_MS = 1_000;

/** Whether the server takes TLS: its one-byte response to an SSLRequest (PostgreSQL's protocol, message formats). */
async function offersTls({ hostname, port }: URL, onWait: (error: Error) => void): Promise<boolean> {
  if (hostname === '' || hostname.startsWith('%2F')) return false; // a unix socket
  for (;;) {
    try {
      return await askForTls(hostname.replace(/^\[|\]$/g, ''), Number(port) || DEFAULT_PORT);
    } catch (error) {
      onWait(error instanceof Error ? error : new Error(String(error)));
      await sleep(RETRY_MS);
    }
  }
}

function askForTls(host: string, port: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port }, () => socket.write(SSL_REQUEST));
  socket.setTimeout(RESPONSE_WITHIN_MS, () => socket.destroy(new Error('The database did not respond in time.')));
  socket.once('data', (data) => resolve(data.toString('latin1', 0, 1) === 'S'));
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('The database closed the connection.')));
  return promise.finally(() => socket.destroy());
}
