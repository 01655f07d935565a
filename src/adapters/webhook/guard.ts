import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { Forbidden, Judged, Resolve } from './types.ts';

/**
 * Creates the check for URLs given by partners. A URL is allowed if it uses https and every IP address of its host is
 * public; one special address forbids the URL. `allowLoopback` (sandbox, tests) also allows loopback addresses, over
 * http too.
 */
export function addressGuard({ allowLoopback, resolve }: { allowLoopback: boolean; resolve: Resolve }) {
  const isForbidden = (address: string) => isSpecial(address) && !(allowLoopback && isLoopback(address));

  return async (text: string): Promise<Judged> => {
    const url = parsed(text);
    const fault = url === null ? 'malformed' : faultOf(url, allowLoopback);
    if (url === null || fault) return forbidden(fault ?? 'malformed');
    if (isInternalName(url.hostname)) return forbidden('special_address');
    if (url.protocol === 'http:' && !namesLoopback(url.hostname)) return forbidden('scheme'); // whatever a name resolves to

    const addresses = await addressesOf(url.hostname, resolve);
    if (addresses.some(isForbidden)) return forbidden('special_address');
    if (addresses.length === 0) return { kind: 'unresolved' };
    return { kind: 'allowed', target: { url, addresses } };
  };
}

/**
 * Node's parser normalizes decimal, octal, hexadecimal, full-width and shortened hosts, so check and connection agree.
 */
const parsed = (text: string): URL | null => URL.parse(text);

function faultOf({ protocol, username, password, hostname }: URL, allowLoopback: boolean): Forbidden | null {
  if (protocol !== 'https:' && !(protocol === 'http:' && allowLoopback)) return 'scheme';
  if (username !== '' || password !== '') return 'userinfo';
  return hostname === '' ? 'malformed' : null;
}

/**
 * Names that only exist inside a network: single labels, and suffixes reserved or customary for private use (RFC 6762,
 * appendix G; RFC 8375; ICANN's .internal). Nothing is resolved, so the response is the same whether such a host exists.
 * The resolver judges names of loopback.
 */
const INTERNAL =
  /^[^.]+$|\.(internal|intranet|private|corp|home|lan|local|localdomain|home\.arpa|svc|cluster|consul|docker)$/i;

function isInternalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return !isIP(name) && !name.startsWith('[') && !/(^|\.)localhost$/i.test(name) && INTERNAL.test(name);
}

/** Whether a host is this machine by its name or address, without asking a resolver. */
function namesLoopback(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? /(^|\.)localhost$/i.test(host) : isLoopback(host);
}

/** An IP literal needs no DNS query; the caller still checks it. */
async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return [literal];
  return resolve(hostname).catch(() => []);
}

const forbidden = (why: Forbidden): Judged => ({ kind: 'forbidden', why });

/**
 * IANA's special-purpose registry for IPv4 (RFC 6890 and later), multicast, and a cloud's internal service at a public
 * address.
 */
const SPECIAL_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host service
  ['169.254.0.0', 16], // link local, where clouds keep their metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const;

/** Special ranges inside 2000::/3, the only globally routed IPv6 block. Everything outside it is special. */
const SPECIAL_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: contains an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_V4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_V6) special.addSubnet(network, bits, 'ipv6');

const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6'); // leaves out ::/96, mapped, NAT64, unique local, link and site local, multicast

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address is not a plain public one. True for a text that is not an IP address. */
function isSpecial(address: string): boolean {
  if (isIPv4(address)) return special.check(address, 'ipv4');
  if (isIPv6(address) && !address.includes('%')) {
    return !globalV6.check(address, 'ipv6') || special.check(address, 'ipv6');
  }
  return true;
}

/** Whether an address is a loopback address. IPv4-mapped IPv6 forms do not count. */
const isLoopback = (address: string): boolean =>
  isIPv4(address) ? loopback.check(address, 'ipv4') : address === '::1';
