import { digest } from './ids.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

type Limit = {
  /** Attempts per window. */
  budget: number;
  /** The first window, in seconds. */
  baseS: number;
  /** The longest window, in seconds. Windows grow while each is overspent. Equal to `baseS` if windows do not grow. */
  longestS: number;
  /** Whether callers of several apps spend it. What is left would reveal something about the users of other apps, so no caller is shown it. */
  isOfAllApps?: true;
  /** Whether only callers from networks without an earlier log-in spend it. That it is counted would reveal whether an account has one. */
  isOfStrangers?: true;
};

/**
 * Every throttle: attempts per window. Windows grow from `baseS` to `longestS` and are always bounded. Nobody can lock
 * a user out of an account: attempts from an address with an earlier log-in are counted separately from those of
 * unknown addresses, and a password reset by mail restores all attempts.
 */
export const limits = {
  /** Operations open to everyone, per IP address. Wide enough for many people behind one address. */
  address: { budget: 300, baseS: MINUTE_S, longestS: 15 * MINUTE_S },
  /**
   * All calls of one app, whether or not they name the address of an end user. All its users share the budget, so it is
   * wide and never grows.
   */
  server: { budget: 6_000, baseS: MINUTE_S, longestS: MINUTE_S },
  /** Token requests of one client from one address. Other addresses do not spend it. */
  client: { budget: 120, baseS: MINUTE_S, longestS: MINUTE_S },
  /** Access requests from one address. */
  app_request: { budget: 10, baseS: HOUR_S, longestS: 24 * HOUR_S },
  /** Attempts at one account's password from one address. */
  login: { budget: 10, baseS: MINUTE_S, longestS: 15 * MINUTE_S },
  /** Attempts at one account's password from all addresses without an earlier log-in. */
  login_unknown_callers: { budget: 50, baseS: 10 * MINUTE_S, longestS: HOUR_S, isOfStrangers: true },
  /**
   * Attempts at the authenticator code of one account, after a right password: from one of its known networks, or from
   * all others together.
   */
  totp: { budget: 5, baseS: MINUTE_S, longestS: 30 * MINUTE_S },
  /** The same over days. Beyond it a user needs a mailed code besides, and an operator the release by another one. */
  totp_day: { budget: 20, baseS: DAY_S, longestS: 8 * DAY_S },
  /** Mails with such a code. */
  login_code_mails: { budget: 5, baseS: HOUR_S, longestS: 4 * HOUR_S },
  /** Mails with a reset token to one address. No wait is longer than a token lives, so its owner always has one. */
  reset_mail: { budget: 5, baseS: 15 * MINUTE_S, longestS: HOUR_S },
  /** Further mails of one app that anyone can cause to one address: they use up none of the resets. */
  mail: { budget: 5, baseS: 15 * MINUTE_S, longestS: 4 * HOUR_S },
  /**
   * Mails to one address that callers of one network cause at one app in a day, before they spend the budgets that all networks share: nobody can
   * keep an owner out of an app by causing mails from elsewhere.
   */
  first_mails: { budget: 2, baseS: DAY_S, longestS: DAY_S },
  /** Further mails to one address over all apps that sign-ups, new codes and resets of unverified users cause, in a day. */
  sign_up_mails: { budget: 10, baseS: DAY_S, longestS: DAY_S, isOfAllApps: true },
  /** First mails to one address, from however many networks, to one app in a day: no app uses up those of all apps. */
  first_mails_of_app: { budget: 30, baseS: DAY_S, longestS: DAY_S },
  /** First mails to one address, from however many networks to however many apps, in a day. */
  all_first_mails: { budget: 60, baseS: DAY_S, longestS: DAY_S, isOfAllApps: true },
  /** Notifications by mail of one app. */
  notify_app: { budget: 2_000, baseS: HOUR_S, longestS: HOUR_S },
  /** Notifications by mail of one app to one address. */
  notify_recipient: { budget: 20, baseS: HOUR_S, longestS: HOUR_S },
  /** Notifications by mail to one address that is not verified, over all apps. */
  notify_unverified: { budget: 3, baseS: DAY_S, longestS: DAY_S, isOfAllApps: true },
  /** Agreements that one user signs. They are kept permanently. */
  signature: { budget: 20, baseS: HOUR_S, longestS: 24 * HOUR_S },
  /** Agreements that all users of one app sign: signers of an app wait for each other. */
  signature_app: { budget: 1_200, baseS: MINUTE_S, longestS: MINUTE_S },
  /** Attempts at mailed codes and links of one account. */
  code: { budget: 20, baseS: 15 * MINUTE_S, longestS: HOUR_S },
  /** Trader API keys that one user creates: each is mailed to the user, and kept permanently. */
  api_keys: { budget: 50, baseS: DAY_S, longestS: DAY_S },
  /** Webhook endpoints that one app or partner registers. They are kept permanently, and each event looks through them. */
  webhook_endpoints: { budget: 500, baseS: DAY_S, longestS: DAY_S },
  /** Checkouts of one user: each is a chance to try a stolen card. */
  checkouts_per_user: { budget: 20, baseS: DAY_S, longestS: DAY_S },
  /** Checkouts of all users of one app. */
  checkouts: { budget: 5_000, baseS: DAY_S, longestS: DAY_S },
  /** Identity verifications that one user begins: the processor charges for each. */
  identity_sessions_per_user: { budget: 10, baseS: DAY_S, longestS: DAY_S },
  /** Identity verifications that all users of one app begin. */
  identity_sessions: { budget: 2_000, baseS: DAY_S, longestS: DAY_S },
  /** Payout accounts that one user opens. */
  payout_accounts_per_user: { budget: 5, baseS: DAY_S, longestS: DAY_S },
  /** Subaccounts that one partner registers: an entity has 10,000 numbers, and none is given twice. */
  subaccounts: { budget: 500, baseS: DAY_S, longestS: DAY_S },
  /**
   * Free accounts that all users of one app may open in a day. Each uses up one of the entity's subaccounts, and anyone with a mailbox can be a user.
   */
  free_accounts: { budget: 500, baseS: DAY_S, longestS: DAY_S },
} as const satisfies Record<string, Limit>;

/** The name of a throttle. */
export type LimitName = keyof typeof limits;

const namesOf = (kind: 'isOfAllApps' | 'isOfStrangers'): ReadonlySet<string> =>
  new Set(Object.entries<Limit>(limits).flatMap(([name, limit]) => (limit[kind] ? [name] : [])));

/** The throttles that callers of several apps spend. */
const OF_ALL_APPS = namesOf('isOfAllApps');
const OF_STRANGERS = namesOf('isOfStrangers');

/** The budgets of which an operator can give an app or a partner another number. */
export type DailyBudgetName = Extract<
  LimitName,
  `${'checkouts' | 'identity_sessions' | 'payout_accounts'}${'' | '_per_user'}` | 'subaccounts' | 'free_accounts'
>;

/**
 * A limit applied to one subject. `subject` is a digest, so that no table contains the address itself. `size`: attempts
 * instead of the limit's own.
 */
export type Budget = { name: LimitName; subject: Buffer; size?: number | undefined };

/** The budget of a limit for the subject that `parts` identify together. */
export const budgetOf = (name: LimitName, ...parts: string[]): Budget => ({
  name,
  subject: digest(JSON.stringify([name, ...parts])),
});

/**
 * The state of a budget after an attempt, with times in seconds. `remaining` is negative if the attempt exceeded the
 * budget. `isHidden`: no caller is shown what is left.
 */
export type BudgetState = {
  name: string;
  budget: number;
  base_s: number;
  remaining: number;
  ends_in_s: number;
  isHidden?: boolean;
};

/**
 * Whether a caller may see that a budget was counted: a budget of unknown networks only once it is spent, so that log-ins look alike for all
 * addresses.
 */
export const isVisible = ({ name, remaining }: BudgetState): boolean => remaining < 0 || !OF_STRANGERS.has(name);

/** The state of a budget as a caller may see it: for one that several apps spend, only whether it is spent, and not since when. */
export const visibleState = (state: BudgetState): BudgetState =>
  OF_ALL_APPS.has(state.name) ? { ...state, ends_in_s: state.base_s, isHidden: state.remaining >= 0 } : state;
