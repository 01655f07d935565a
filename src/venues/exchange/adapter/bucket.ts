import type { Bucket, BudgetLedger } from '../../../kernel/shared-upstream.ts';
import { epochMs } from '../../../kernel/work.ts';

/**
 * A token bucket of this process alone. It starts with `burst` tokens, its capacity; in any `s` seconds at most `burst` +
 * `s` × `perSecond` tokens are spent. Charges may make it negative.
 */
export const tokenBucket = ({ burst, perSecond }: Bucket): BudgetLedger => {
  let tokens = burst;
  let countedAt = epochMs(); // ahead of the clock while halted
  const refill = () => {
    const passedMs = Math.max(0, epochMs() - countedAt);
    tokens = Math.min(burst, tokens + (passedMs / 1_000) * perSecond);
    countedAt += passedMs;
  };
  const waitMs = (needed: number) => {
    const missing = Math.max(0, Math.min(needed, burst) - tokens);
    return Math.max(0, countedAt - epochMs()) + (missing / perSecond) * 1_000;
  };
  return {
    spend: async (asked) => {
      refill();
      const short = asked.findIndex(({ weight, keep }) => {
        if (waitMs(weight + keep) > 0) return true;
        tokens -= weight;
        return false;
      });
      const next = asked[short];
      return next ? { spent: short, waitMs: waitMs(next.weight + next.keep) } : { spent: asked.length, waitMs: 0 };
    },
    charge: async (weight) => {
      tokens = Math.min(burst, tokens - weight);
    },
    halt: async (ms) => {
      tokens = Math.min(0, tokens);
      countedAt = Math.max(countedAt, epochMs() + ms);
    },
  };
};
