const RECONCILE_DELAYS_MS = [500, 1_000, 2_000, 3_000, 5_000, 8_000] as const;
const LONGEST_RECONCILE_MS = 10_000; // well inside the promise to settle within 120 s after the venue responds again
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000] as const;
const LONGEST_RETRY_MS = 4_000;
const JITTER = 0.2;

/** A look-up is planned so long after the time from which on it can prove something. */
export const JUST_AFTER_MS = 50;

/** The delay before the next reconciliation, after `attempts` reconciliations. Milliseconds, ± 20 %. */
export const nextReconcileMs = (attempts: number): number =>
  jittered(RECONCILE_DELAYS_MS[attempts] ?? LONGEST_RECONCILE_MS);

/** The delay before the next attempt to send, after `attempts` attempts that sent nothing. Milliseconds, ± 20 %. */
export const nextAttemptMs = (attempts: number): number => jittered(RETRY_DELAYS_MS[attempts - 1] ?? LONGEST_RETRY_MS);

const jittered = (ms: number) => Math.round(ms * (1 - JITTER + 2 * JITTER * Math.random()));
