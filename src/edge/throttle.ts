import { isIPv6, SocketAddress } from 'node:net';
import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import type { OwnerId } from '../kernel/ids.ts';
import type { Principal } from '../kernel/principal.ts';
import { type Budget, budgetOf, isVisible, visibleState } from '../kernel/throttles.ts';
import { presentWork, workingOn } from '../kernel/work.ts';
import { authenticate, nobody } from './authenticate.ts';
import type { EdgeDeps } from './deps.ts';
import { presentBudgets } from './quota.ts';

/** Counts one attempt of a request against budgets, and sets the `RateLimit` headers of the response to their state. */
export type Spend = (...budgets: Budget[]) => Promise<void>;

/**
 * Makes the counter of one request. It throws V2_THROTTLED, on v1 RATE_LIMITED, if a budget is exceeded, with the time until the last of the
 * exceeded windows ends as `Retry-After`.
 */
export function newSpend(ctx: Context, { throttle }: Pick<EdgeDeps, 'throttle'>): Spend {
  return async (...budgets) => {
    const states = (await throttle.spend(budgets)).filter(isVisible).map(visibleState);
    presentBudgets(ctx, states);
    const overspent = states.filter(({ remaining }) => remaining < 0);
    if (overspent.length === 0) return;
    const code = ctx.path.startsWith('/v1/') ? 'RATE_LIMITED' : 'V2_THROTTLED';
    throw new ApiError(code, { retryAfterS: Math.max(1, ...overspent.map(({ ends_in_s }) => ends_in_s)) });
  };
}

/**
 * Counts a call of a throttled operation against the budget of its network, and a call of an app against that of the
 * app: the addresses of end users that it names are not verified.
 */
const spendAddress = ({ id }: Operation, from: Caller, owner: OwnerId, spend: Spend): Promise<void> =>
  spend(
    ...(from.isShared ? [] : [budgetOf('address', id, owner, from.network)]),
    ...(from.isApps ? [budgetOf('server', id, owner)] : []),
  );

/** Whose turn it is in which callers are counted of whom nothing is known yet: those of one network wait for each other, and nobody else for them. */
const UNKNOWN = 'unknown callers';

/**
 * Authenticates the caller of a throttled operation and counts the attempt. For an open operation it counts before it
 * checks credentials; else it counts valid callers, and attempts with wrong credentials by address.
 */
export async function throttledCaller(operation: Operation, ctx: Context, deps: EdgeDeps) {
  const spend = newSpend(ctx, deps);
  const spendUnknown = () =>
    workingOn({ ...presentWork(), tenant: UNKNOWN }, () =>
      spendAddress(operation, callerAddress(ctx, nobody), '', spend),
    );
  if (operation.isOpen) await spendUnknown();
  const principal = await authenticate(operation, ctx, deps).catch(async (apiError) => {
    if (!operation.isOpen) await spendUnknown();
    throw apiError;
  });
  if (!operation.isOpen) await spendAddress(operation, callerAddress(ctx, principal), principal.owner, spend);
  return { principal, spend };
}

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
  const address = reported || withoutPort(ctx.ip);
  return { address, network: networkOf(address), isApps, isShared: isApps && reported === '' };
}

/** Some proxies name the caller's port in `X-Forwarded-For` (RFC 7239, section 6), which differs between connections of one caller. */
const withoutPort = (address: string): string => {
  const [, ipv6, ipv4] = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
};

const GROUPS_OF_A_NETWORK = 4; // of 16 bits each: an IPv6 site has at least a /64 (RFC 6177)

/**
 * The network by which attempts are counted: an IPv4 address itself, however it is mapped to IPv6, and the /64 of another
 * IPv6 address. Other text is unchanged.
 */
export function networkOf(given: string): string {
  const address = isIPv6(given) ? new SocketAddress({ address: given, family: 'ipv6' }).address : given; // in its one form
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(':') || !/^[0-9a-f:.]+(%\w+)?$/i.test(address)) return address;
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = right ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(right ?? [])].slice(0, GROUPS_OF_A_NETWORK);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
