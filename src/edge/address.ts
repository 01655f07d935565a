import type { Context } from 'koa';
import { networkOf } from '../kernel/addresses.ts';
import type { Principal } from '../kernel/principal.ts';

/** Names the end user's address in a call an app's server makes for a user. */
const END_USER_ADDRESS = 'X-End-User-Address';

/**
 * Where a call comes from: the address, and the network of it that tries are counted by. `isShared`: it is that of an app's server,
 * behind which are all its users.
 */
export type Caller = { address: string; network: string; isShared: boolean };

/** The caller's address: of the connection, or of the end user where an app vouches for it. */
export function callerAddress(ctx: Context, principal: Principal): Caller {
  const isApps = principal.kind === 'app' || principal.kind === 'user';
  const vouched = isApps ? ctx.get(END_USER_ADDRESS).slice(0, 64) : '';
  const address = vouched || ctx.ip;
  return { address, network: networkOf(address), isShared: isApps && vouched === '' };
}
