import { isPassing, membersOf, retryAfterMs } from './errors.ts';

/** How requests are repeated. */
export type RetryPolicy = {
  /** The most repeats of one request. */
  retries: number;
  /** A longer `Retry-After` is not waited for: the caller gets the error. In milliseconds. */
  longestWaitMs: number;
};

const FIRST_WAIT_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/** A response with its text; null if there was none. */
export type Outcome = { response: Response; text: string } | null;

/**
 * How long to wait before the same request, under the same Idempotency-Key, is sent again; null: it is not. A response
 * decides by its `retryable` and its `Retry-After`; one of a gateway, which has no such members, by its status.
 */
export function waitBefore(nth: number, outcome: Outcome, { retries, longestWaitMs }: RetryPolicy): number | null {
  if (nth > retries) return null;
  if (outcome === null) return backoffMs(nth);
  const { response, text } = outcome;
  if (response.ok || !isRetryable(response.status, text)) return null;
  const askedMs = retryAfterMs(response.headers);
  return askedMs > longestWaitMs ? null : Math.max(askedMs, backoffMs(nth));
}

/** Whether the same request may be sent again; a gateway's response says so by its status. */
export const isRetryable = (status: number, text: string): boolean => membersOf(text)?.retryable ?? isPassing(status);

/** Half of it is random, so that many clients do not return at one moment. */
export const backoffMs = (nth: number): number =>
  Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (nth - 1)) * (0.5 + Math.random() / 2);

/** Waits; rejects with the signal's reason if it is aborted meanwhile. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessAborted(over, signal).finally(() => clearTimeout(timer));
}

/** The result of work that other callers share; rejects with the signal's reason if the signal is aborted first. The work itself goes on. */
export function unlessAborted<Result>(work: Promise<Result>, signal?: AbortSignal | null): Promise<Result> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal?.reason);
    if (signal?.aborted) ended();
    signal?.addEventListener('abort', ended);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', ended));
  });
}
