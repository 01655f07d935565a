/** Names an endpoint may subscribe to, beside `*` for all. Any other name may be sent, and reaches `*` only. */
export const EVENT_NAMES = [
  'payment.succeeded',
  'payment.failed',
  'kyc.updated',
  'payout.completed',
  'payout.failed',
] as const;

/** The subscriptions of a list that no event will ever match, so that a misspelt one is told at once. */
export const unknownEvents = (names: string[]): string[] =>
  names.filter((name) => name !== '*' && !(EVENT_NAMES as readonly string[]).includes(name));

const M = 60;
const H = 60 * M;
/** Seconds to wait after the first failure, the second, and so on; with the first try ten in about 81 hours. */
const PLAN_S = [5, M, 5 * M, 30 * M, 2 * H, 6 * H, 12 * H, 24 * H, 36 * H] as const;
const JITTER = 0.2;
const LONGEST_ASKED = 2; // times the planned wait: as far as a receiver's Retry-After may stretch it

const GONE = 410;

/** How an attempt ended: `status` null where there was no answer at all. */
export type Attempted = { status: number | null; retryAfterS: number | null };

/** What an attempt means for its delivery. `gone` ends its endpoint too. */
export type Ending = { ending: 'delivered' | 'failed' | 'gone' } | { ending: 'retry'; retry_in_s: number };

/** 2xx is a success, anything else none. `tries` counts the failures before this one, `chance` lies between 0 and 1. */
export function endingOf({ status, retryAfterS }: Attempted, tries: number, chance = Math.random()): Ending {
  if (status !== null && status >= 200 && status < 300) return { ending: 'delivered' };
  if (status === GONE) return { ending: 'gone' };
  const plannedS = PLAN_S[tries];
  if (plannedS === undefined) return { ending: 'failed' };
  const jittered = plannedS * (1 - JITTER + 2 * JITTER * chance);
  const waitS = Math.max(jittered, Math.min(retryAfterS ?? 0, LONGEST_ASKED * plannedS));
  return { ending: 'retry', retry_in_s: Math.round(waitS * 1000) / 1000 };
}
