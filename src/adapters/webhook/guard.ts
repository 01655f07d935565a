import { isIP } from 'node:net';
import { isLoopback, isSpecial } from './ranges.ts';
import type { Forbidden, Judged, Resolve } from './types.ts';

/**
 * Judges addresses that partners gave. Allowed are https addresses whose every address is a plain public one; one bad address
 * among several refuses all. With `allowLoopback`, for the sandbox and tests, this machine's own are allowed too, also over http.
 */
export function addressGuard({ allowLoopback, resolve }: { allowLoopback: boolean; resolve: Resolve }) {
  const isForbidden = (address: string) => isSpecial(address) && !(allowLoopback && isLoopback(address));

  return async (text: string): Promise<Judged> => {
    const url = parsed(text);
    const fault = url === null ? 'malformed' : faultOf(url, allowLoopback);
    if (url === null || fault) return forbidden(fault ?? 'malformed');

    const addresses = await addressesOf(url.hostname, resolve);
    if (addresses.length === 0) return { kind: 'unresolved' };
    if (addresses.some(isForbidden)) return forbidden('special_address');
    if (url.protocol === 'http:' && !addresses.every(isLoopback)) return forbidden('scheme');
    return { kind: 'allowed', target: { url, addresses } };
  };
}

/** The platform's parser settles decimal, octal, hexadecimal, full-width and shortened forms once, for check and connection alike. */
const parsed = (text: string): URL | null => URL.parse(text);

function faultOf({ protocol, username, password, hostname }: URL, allowLoopback: boolean): Forbidden | null {
  if (protocol !== 'https:' && !(protocol === 'http:' && allowLoopback)) return 'scheme';
  if (username !== '' || password !== '') return 'userinfo';
  return hostname === '' ? 'malformed' : null;
}

/** A literal is its own address: nobody is asked, but it is checked all the same. */
async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return [literal];
  return resolve(hostname).catch(() => []);
}

const forbidden = (why: Forbidden): Judged => ({ kind: 'forbidden', why });
