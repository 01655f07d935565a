import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { QuotaUse } from '../contract/handler.ts';
import { mostEntries } from '../kernel/cache.ts';
import type { Principal } from '../kernel/principal.ts';
import type { BudgetState } from '../kernel/throttles.ts';

const MINUTE_S = 60;
const BUCKETS_IN_MEMORY = 100_000; // a minute fills a bucket, so only callers of the last minute matter

/** Requests in a minute of one user, or with one key of a trader, at each web process: a page that reads 20 times a second. */
const USER_REQUESTS_PER_MIN = 1_200;

/** Requests per minute of one subject: the tenant, or one of its users or traders within it. */
type Quota = { name: 'requests' | 'own_requests'; subject: string; perMinute: number };
type Bucket = { left: number; atMs: number; rejected: number };

/** The state of a caller's quotas after a request, and the seconds until the next one is admitted; 0: it was admitted. */
export type QuotaState = { states: BudgetState[]; waitS: number };

/** Takes a request from all quotas of its caller, or from none of them if one is used up. */
export type SpendQuota = (principal: Principal) => QuotaState;

/**
 * The quotas of a caller. A user and a trader's program spend a part of their app's quota, and no more than a part: one
 * of them cannot use it up. Operators and callers without credentials have none.
 */
function quotasOf(principal: Principal): Quota[] {
  if (principal.kind === 'nobody' || principal.kind === 'admin') return [];
  const { kind } = principal;
  const perMinute = kind === 'user' ? principal.app.perMinute : principal.perMinute;
  const tenant: Quota = { name: 'requests', subject: principal.owner, perMinute };
  if (kind === 'partner' || kind === 'app' || kind === 'ticket') return [tenant];
  const subject = kind === 'user' ? principal.userId : principal.keyId;
  return [tenant, { name: 'own_requests', subject, perMinute: USER_REQUESTS_PER_MIN }];
}

/**
 * Makes the request quotas of this process: a bucket of each tenant and of each of its users and trader keys, which a
 * minute fills. It is in memory, and the quota is read with the credentials, so a request costs no round trip; each process
 * counts its own share.
 */
export function quotas(scale: number): { spendQuota: SpendQuota; quotaUse: QuotaUse } {
  const buckets = new LRUCache<string, Bucket>(mostEntries(BUCKETS_IN_MEMORY));
  const read = (subject: string, perMinute: number) => {
    const budget = Math.max(1, Math.floor(perMinute * scale));
    const perS = budget / MINUTE_S;
    const atMs = performance.now();
    const bucket = buckets.get(subject) ?? { left: budget, atMs, rejected: 0 };
    const left = Math.min(budget, bucket.left + ((atMs - bucket.atMs) / 1_000) * perS);
    return { budget, perS, atMs, left, rejected: bucket.rejected };
  };
  const quotaUse: QuotaUse = (owner, perMinute) => {
    const { budget, left, rejected } = read(owner, perMinute);
    return { quota_used: Math.ceil(budget - left), quota_rejections: rejected };
  };
  const spendQuota: SpendQuota = (principal) => {
    const found = quotasOf(principal).map((quota) => ({ ...quota, ...read(quota.subject, quota.perMinute) }));
    const waitS = Math.max(0, ...found.map(({ left, perS }) => (1 - left) / perS));
    const states = found.map(({ name, subject, budget, perS, atMs, left, rejected }) => {
      const bucket = { left: waitS > 0 ? left : left - 1, atMs, rejected: left < 1 ? rejected + 1 : rejected };
      buckets.set(subject, bucket, { size: 1 });
      const remaining = left < 1 ? 0 : Math.floor(waitS > 0 ? left : left - 1);
      return { name, budget, base_s: MINUTE_S, remaining, ends_in_s: (budget - remaining) / perS };
    });
    return { states, waitS };
  };
  return { spendQuota, quotaUse };
}

/** Adds the state of budgets to the `RateLimit` headers of a response. */
export function presentBudgets(ctx: Context, states: readonly BudgetState[]): void {
  ctx.state.budgets = [...(ctx.state.budgets ?? []), ...states];
  ctx.set(rateLimitHeaders(ctx.state.budgets));
}

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
export const rateLimitHeaders = (states: readonly BudgetState[]): Record<string, string> => ({
  'RateLimit-Policy': states.map(({ name, budget, base_s }) => `"${name}";q=${budget};w=${base_s}`).join(', '),
  RateLimit: states
    .filter(({ isHidden }) => !isHidden)
    .map(({ name, remaining, ends_in_s }) => `"${name}";r=${Math.max(0, remaining)};t=${Math.ceil(ends_in_s)}`)
    .join(', '),
});
