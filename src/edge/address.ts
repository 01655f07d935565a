import type { Context } from 'koa';
import type { Principal } from '../kernel/principal.ts';

/** The header in which an app's server gives the address of its end user. */
const END_USER_ADDRESS = 'X-End-User-Address';

/**
 * The source of a call: its address, and the network by which attempts are counted. `isApps`: the call comes from an
 * app's server. `isShared`: the address is that of the server, which all users of the app share.
 */
export type Caller = { address: string; network: string; isApps: boolean; isShared: boolean };

/** The caller's address: that of the connection, or the end user's if an authenticated app reports it. */
export function callerAddress(ctx: Context, principal: Principal): Caller {
  const isApps = principal.kind === 'app' || principal.kind === 'user';
  const reported = isApps ? ctx.get(END_USER_ADDRESS).slice(0, 64) : '';
  const address = reported || ctx.ip;
  return { address, network: networkOf(address), isApps, isShared: isApps && reported === '' };
}

const GROUPS_OF_A_NETWORK = 4; // of 16 bits each: an IPv6 site has at least a /64 (RFC 6177)

/**
 * The network by which attempts are counted: an IPv4 address itself, the /64 of an IPv6 address. Other text is
 * unchanged.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*(%\w+)?$/i.test(address)) return address;
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = right ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(right ?? [])].slice(0, GROUPS_OF_A_NETWORK);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
