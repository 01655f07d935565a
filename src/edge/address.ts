import type { Context } from 'koa';
import type { Principal } from '../kernel/principal.ts';

/** Names the end user's address in a call an app's server makes for a user. */
const END_USER_ADDRESS = 'X-End-User-Address';

/** The address that tries are counted by: of the connection, or of the end user where an app vouches for it. */
export function callerAddress(ctx: Context, principal: Principal): string {
  const isApps = principal.kind === 'app' || principal.kind === 'user';
  return (isApps && ctx.get(END_USER_ADDRESS).slice(0, 64)) || ctx.ip;
}
