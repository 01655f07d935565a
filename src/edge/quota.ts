import type { Context } from 'koa';
import type { QuotaUse } from '../contract/handler.ts';
import { ApiError } from '../kernel/errors.ts';
import type { OwnerId } from '../kernel/ids.ts';
import type { Partner } from '../kernel/principal.ts';

const MINUTE_S = 60;

/** Takes a request of a partner from its quota. Throws RATE_LIMITED if there is none left. */
export type SpendQuota = (ctx: Context, partner: Partner) => void;

/**
 * Makes the request quotas of partners in this process: a bucket of each, which a minute fills. It is in memory, and the
 * quota is read with the key, so a request costs no round trip; each process counts its own share. Sets the `RateLimit`
 * headers, and throws RATE_LIMITED when the bucket is empty.
 */
export function quotas(scale: number): { spendQuota: SpendQuota; quotaUse: QuotaUse } {
  const buckets = new Map<string, { left: number; atMs: number; rejected: number }>();
  const read = (owner: OwnerId, perMinute: number) => {
    const budget = Math.max(1, Math.floor(perMinute * scale));
    const perS = budget / MINUTE_S;
    const nowMs = performance.now();
    const bucket = buckets.get(owner) ?? { left: budget, atMs: nowMs, rejected: 0 };
    const left = Math.min(budget, bucket.left + ((nowMs - bucket.atMs) / 1_000) * perS);
    return { budget, perS, nowMs, left, rejected: bucket.rejected };
  };
  const quotaUse: QuotaUse = (owner, perMinute) => {
    const { budget, left, rejected } = read(owner, perMinute);
    return { quota_used: Math.ceil(budget - left), quota_rejections: rejected };
  };
  const spendQuota: SpendQuota = (ctx, { owner, perMinute }) => {
    const { budget, perS, nowMs, left, rejected } = read(owner, perMinute);
    const isTaken = left >= 1;
    buckets.set(owner, { left: isTaken ? left - 1 : left, atMs: nowMs, rejected: isTaken ? rejected : rejected + 1 });
    const remaining = isTaken ? Math.floor(left - 1) : 0;
    ctx.set('RateLimit-Policy', `"requests";q=${budget};w=${MINUTE_S}`);
    ctx.set('RateLimit', `"requests";r=${remaining};t=${Math.ceil((budget - remaining) / perS)}`);
    if (!isTaken) throw new ApiError('RATE_LIMITED', { retryAfterS: Math.max(1, (1 - left) / perS) });
  };
  return { spendQuota, quotaUse };
}
