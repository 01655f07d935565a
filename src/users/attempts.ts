import type { Throttle } from '../db/throttles.ts';
import type { CallWith } from '../edge/handler.ts';
import type { AppId, UserId } from '../kernel/ids.ts';
import { type Budget, budgetOf } from '../kernel/throttles.ts';
import type { Account } from './commands.ts';

/**
 * The budgets of a password attempt: that of this account and network, and for an unknown network the account's shared
 * budget.
 */
export const loginBudgets = ({ appId, email }: Account, network: string, isKnown: boolean): Budget[] => [
  budgetOf('login', appId, email, network),
  ...(isKnown ? [] : [unknownCallers(appId, email)]),
];

const unknownCallers = (appId: AppId, email: string) => budgetOf('login_strangers', appId, email);

/** The budgets of a mail to an address that a sign-up or a new code causes. */
export const codeMailBudgets = ({ appId, email }: Account): Budget[] => [
  budgetOf('mail', appId, email),
  signUpMails(email),
];

/** The budget, over all apps, of mails that sign-ups of an address cause. */
export const signUpMails = (email: string): Budget => budgetOf('sign_up_mails', email);

/** The scope of attempts at authenticator codes: a network that the user has logged in from, or all others together. */
export const scopeOf = (isKnown: boolean, network: string): string => (isKnown ? network : 'unknown');

/** The budgets of attempts at a user's authenticator code: the short one, and the one over days. */
export const totpBudgets = (userId: UserId, scope: string): [Budget, Budget] => [
  budgetOf('totp', userId, scope),
  budgetOf('totp_day', userId, scope),
];

/** Resets the attempt budgets of an account: whoever reads its mail has proven to be its owner and need not wait. */
export const forgetAttempts = (
  call: Pick<CallWith<{ throttle: Pick<Throttle, 'forgive'> }>, 'deps' | 'network'>,
  account: Account,
  userId: UserId,
): Promise<void> =>
  call.deps.throttle.forgive([
    budgetOf('login', account.appId, account.email, call.network),
    unknownCallers(account.appId, account.email),
    ...totpBudgets(userId, scopeOf(true, call.network)),
    ...totpBudgets(userId, scopeOf(false, call.network)),
  ]);
