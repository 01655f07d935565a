/** Tokens that trickle in. Weights may leave a debt, which later weights wait for. */
export type Bucket = {
  /** How long until this weight may be spent; 0: now. More than the bucket holds may be spent once it is full. */
  waitMs(weight: number): number;
  spend(weight: number): void;
  /** Empties the bucket and lets nothing trickle in for so long. */
  halt(ms: number): void;
};

/** A full bucket of `burst` tokens. Any minute sees at most `burst` + 60 × `perSecond` of them. */
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
