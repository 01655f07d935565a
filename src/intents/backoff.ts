const RECONCILE_DELAYS_MS = [500, 1_000, 2_000, 3_000, 5_000, 8_000] as const;
const LONGEST_RECONCILE_MS = 10_000; // well inside the promise to settle within 120 s after the venue responds again
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000] as const;
const LONGEST_RETRY_MS = 4_000;
const JITTER = 0.2;

/** An unsent order is tried again within this time, ± 20 %, so that exits leave within 2 s of their upstream's return. */
export const LONGEST_ORDER_RETRY_MS = 1_500;

/** How often an intent is looked up that is unlikely to be settled: rarely, so that it costs little of its upstream's budget. */
export const RARELY_MS = 600_000;

/** A look-up is planned this long after the time from which it can prove something. */
export const JUST_AFTER_MS = 50;

/** The delay before the next reconciliation, after `attempts` reconciliations. Milliseconds, ± 20 %. */
export const nextReconcileMs = (attempts: number): number =>
  jittered(RECONCILE_DELAYS_MS[attempts] ?? LONGEST_RECONCILE_MS);

/** The delay before the next attempt to send, after `attempts` attempts that sent nothing. Milliseconds, `longestMs` at most, ± 20 %. */
export const nextAttemptMs = (attempts: number, longestMs: number = LONGEST_RETRY_MS): number =>
  jittered(Math.min(RETRY_DELAYS_MS[attempts - 1] ?? LONGEST_RETRY_MS, longestMs));

const jittered = (ms: number) => Math.round(ms * (1 - JITTER + 2 * JITTER * Math.random()));
