import { digest } from './digest.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;

type Limit = {
  /** Tries per window. */
  budget: number;
  baseS: number;
  /** The longest a window grows while every one is overspent; equal to `baseS` where waits do not grow. */
  longestS: number;
};

/**
 * Every throttle: how many tries in how long. Waits grow from `baseS` to `longestS`, and are always bounded. Nobody is locked out by
 * a stranger: tries from an address the account was entered from before count apart from those of strangers, and whoever reads the
 * account's mail gets all tries back by a reset, of which a stranger's hammering only sends more.
 */
export const limits = {
  /** Anything open to the world, per address of the net: a page of people behind one address is let through. */
  address: { budget: 300, baseS: MINUTE_S, longestS: 15 * MINUTE_S },
  /** The same for an app's server that does not say for whom it asks: all its users share it, so it is wide and never grows. */
  server: { budget: 6_000, baseS: MINUTE_S, longestS: MINUTE_S },
  /** Token requests of one client from one address. A stranger elsewhere does not spend it. */
  client: { budget: 120, baseS: MINUTE_S, longestS: MINUTE_S },
  /** Access requests from one address. */
  app_request: { budget: 10, baseS: HOUR_S, longestS: 24 * HOUR_S },
  /** Tries of one account's password from one address. */
  login: { budget: 10, baseS: MINUTE_S, longestS: 15 * MINUTE_S },
  /** Tries of one account's password from all addresses it has never been entered from. */
  login_strangers: { budget: 50, baseS: 10 * MINUTE_S, longestS: HOUR_S },
  /** Codes of an authenticator for one account whose password was right. */
  totp: { budget: 5, baseS: MINUTE_S, longestS: 30 * MINUTE_S },
  /** Mails that anyone can cause to one address. */
  mail: { budget: 5, baseS: 15 * MINUTE_S, longestS: 4 * HOUR_S },
  /** Mailed codes and links tried for one account. */
  code: { budget: 20, baseS: 15 * MINUTE_S, longestS: HOUR_S },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

/** One limit applied to someone: `subject` is a digest, so that no table holds the address itself. */
export type Budget = { name: LimitName; subject: Buffer };

/** The budget of a limit for whoever these words name together. */
export const budgetOf = (name: LimitName, ...words: string[]): Budget => ({
  name,
  subject: digest(JSON.stringify([name, ...words])),
});

/** How a budget stands after a try: negative `remaining` means that this try was one too many. */
export type Standing = { name: string; budget: number; base_s: number; remaining: number; ends_in_s: number };

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
export const rateLimitHeaders = (standings: readonly Standing[]): Record<string, string> => ({
  'RateLimit-Policy': standings.map(({ name, budget, base_s }) => `"${name}";q=${budget};w=${base_s}`).join(', '),
  RateLimit: standings
    .map(({ name, remaining, ends_in_s }) => `"${name}";r=${Math.max(0, remaining)};t=${Math.ceil(ends_in_s)}`)
    .join(', '),
});
