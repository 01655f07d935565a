import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { type TlsChoice, type TlsMode, tlsModes } from '../kernel/tls-modes.ts';
import { offersTls } from './tls-probe.ts';

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
