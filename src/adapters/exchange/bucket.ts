/** A token bucket. Spending may make it negative; later weights then wait longer. */
export type Bucket = {
  /**
   * Milliseconds until this weight may be spent; 0: now. A weight above the capacity may be spent when the bucket is
   * full.
   */
  waitMs(weight: number): number;
  /** Takes tokens, even more than there are. */
  spend(weight: number): void;
  /** Empties the bucket and stops refilling for `ms`. */
  halt(ms: number): void;
};

/**
 * A bucket that starts with `burst` tokens, its capacity. At most `burst` + 60 × `perSecond` tokens are granted in any
 * minute.
 */
export const tokenBucket = ({ burst, perSecond }: { burst: number; perSecond: number }): Bucket => {
  let tokens = burst;
  let countedAt = Date.now(); // ahead of the clock while halted
  const refill = () => {
    const passedMs = Math.max(0, Date.now() - countedAt);
    tokens = Math.min(burst, tokens + (passedMs / 1_000) * perSecond);
    countedAt += passedMs;
  };
  return {
    waitMs: (weight) => {
      refill();
      const missing = Math.max(0, Math.min(weight, burst) - tokens);
      return Math.ceil(Math.max(0, countedAt - Date.now()) + (missing / perSecond) * 1_000);
    },
    spend: (weight) => {
      refill();
      tokens -= weight;
    },
    halt: (ms) => {
      refill();
      tokens = Math.min(0, tokens);
      countedAt = Math.max(countedAt, Date.now() + ms);
    },
  };
};
