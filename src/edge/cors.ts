import type { Context, Middleware } from 'koa';
import type { Principal, Ticket, Trader } from '../kernel/principal.ts';

/** The origins that any active app allows, as kept by this process. */
export type OriginFinder = () => Promise<ReadonlySet<string>>;

/** The only operations whose credentials, a trader's key and a ticket, may be used in a browser. */
export const CROSS_ORIGIN_PATHS = '/v2/trading/';
const CONFIRMED_FOR_S = 600;

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-Api-Key, X-Prop-Account',
  'Access-Control-Max-Age': String(CONFIRMED_FOR_S),
};
const EXPOSED =
  'Idempotent-Replayed, Intent-Id, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/**
 * Lets pages of origins that an app allows use the cross-origin paths with its traders' keys. A preflight carries no
 * credential: any app's origin passes. The request itself is tied to the key's app by `restrictOrigin`.
 */
export const crossOrigin =
  (origins: OriginFinder): Middleware =>
  async (ctx, next) => {
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    const isAllowed = origin !== '' && (await origins()).has(origin);
    if (isAllowed) ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next();
    if (isAllowed) ctx.set(PREFLIGHT);
    ctx.status = 204;
  };

/** Takes the permission back from a caller whose app does not allow the origin, or who has no credential for browsers. */
export function restrictOrigin(ctx: Context, principal: Principal): void {
  const origin = ctx.response.get('Access-Control-Allow-Origin');
  if (origin === '' || (isForBrowsers(principal) && principal.origins.includes(origin))) return;
  ctx.remove('Access-Control-Allow-Origin');
  ctx.remove('Access-Control-Expose-Headers');
}

const isForBrowsers = (principal: Principal): principal is Trader | Ticket =>
  principal.kind === 'trader' || principal.kind === 'ticket';
