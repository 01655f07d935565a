/** The names in a list of subscriptions that no event can match, to report misspelt names. */
export const unknownEvents = (names: string[], known: readonly string[]): string[] =>
  names.filter((name) => name !== '*' && !known.includes(name));

const M = 60;
const H = 60 * M;
/**
 * Seconds to wait after the first failure, the second, and so on: with the first attempt 10 attempts in about 81 hours.
 */
const PLAN_S = [5, M, 5 * M, 30 * M, 2 * H, 6 * H, 12 * H, 24 * H, 36 * H] as const;
const JITTER = 0.2;
const LONGEST_ASKED = 2; // a receiver's Retry-After may stretch the planned wait to at most this multiple

const GONE = 410;

/** The end of an attempt. `status` is null if there was no response. */
export type Attempted = { status: number | null; retryAfterS: number | null };

/** The consequence of an attempt for its delivery. `gone` also deactivates its endpoint. */
export type Ending = { ending: 'delivered' | 'failed' | 'gone' } | { ending: 'retry'; retry_in_s: number };

/**
 * The consequence of a response. Only 2xx is a success. `failures` counts earlier failures; `chance` is between 0 and
 * 1.
 */
export function endingOf({ status, retryAfterS }: Attempted, failures: number, chance = Math.random()): Ending {
  if (status !== null && status >= 200 && status < 300) return { ending: 'delivered' };
  if (status === GONE) return { ending: 'gone' };
  const plannedS = PLAN_S[failures];
  if (plannedS === undefined) return { ending: 'failed' };
  const jittered = plannedS * (1 - JITTER + 2 * JITTER * chance);
  const waitS = Math.max(jittered, Math.min(retryAfterS ?? 0, LONGEST_ASKED * plannedS));
  return { ending: 'retry', retry_in_s: Math.round(waitS * 1000) / 1000 };
}
