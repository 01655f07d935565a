import type { Bucket, BudgetLedger } from '../../../kernel/shared-upstream.ts';

/**
 * A token bucket of this process alone. It starts with `burst` tokens, its capacity; in any `s` seconds at most `burst` +
 * `s` × `perSecond` tokens are spent. Charges may make it negative.
 */
export const tokenBucket = ({ burst, perSecond, allowance = Number.POSITIVE_INFINITY }: Bucket): BudgetLedger => {
  let tokens = burst;
  let countedAt = performance.now(); // ahead of the clock while halted
  const uses = new Map<string, number>();
  const refill = () => {
    const passedMs = Math.max(0, performance.now() - countedAt);
    tokens = Math.min(burst, tokens + (passedMs / 1_000) * perSecond);
    countedAt += passedMs;
    const share = ((passedMs / 1_000) * perSecond) / Math.max(2, uses.size);
    for (const [tenant, used] of uses) {
      if (used > share) uses.set(tenant, used - share);
      else uses.delete(tenant);
    }
  };
  const waitMs = (needed: number) => {
    const missing = Math.max(0, Math.min(needed, burst) - tokens);
    return Math.max(0, countedAt - performance.now()) + (missing / perSecond) * 1_000;
  };
  return {
    spend: async (asked) => {
      refill();
      const spent: number[] = [];
      let [blocked, shortestMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (const [n, { weight, keep, spare, tenant, allowance: most = allowance }] of asked.entries()) {
        const used = (uses.get(tenant) ?? 0) + weight;
        const remaining = keep + (used > most ? spare : 0);
        if (remaining >= blocked) continue;
        const ms = waitMs(weight + remaining);
        if (ms > 0) {
          [blocked, shortestMs] = [remaining, Math.min(ms, shortestMs)];
          continue;
        }
        tokens -= weight;
        uses.set(tenant, used);
        spent.push(n);
      }
      return { spent, waitMs: shortestMs === Number.POSITIVE_INFINITY ? 0 : shortestMs };
    },
    charge: async (weight) => {
      tokens = Math.min(burst, tokens - weight);
    },
    halt: async (ms) => {
      tokens = Math.min(0, tokens);
      countedAt = Math.max(countedAt, performance.now() + ms);
    },
    isHalted: async () => countedAt > performance.now(),
  };
};
