const LOOKS_MS = [500, 1_000, 2_000, 3_000, 5_000, 8_000] as const;
const LONGEST_LOOK_MS = 10_000; // well inside the promise to settle 120 s after the venue answers again
const RETRIES_MS = [250, 500, 1_000, 2_000] as const;
const LONGEST_RETRY_MS = 4_000;
const JITTER = 0.2;

/** When to look again at an unknown effect, after so many looks. Milliseconds, ± 20 %. */
export const nextLookMs = (looks: number): number => jittered(LOOKS_MS[looks] ?? LONGEST_LOOK_MS);

/** When to try again what could not be sent, after so many tries. Milliseconds, ± 20 %. */
export const nextTryMs = (tries: number): number => jittered(RETRIES_MS[tries - 1] ?? LONGEST_RETRY_MS);

const jittered = (ms: number) => Math.round(ms * (1 - JITTER + 2 * JITTER * Math.random()));
