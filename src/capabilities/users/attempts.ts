import type { CallWith } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { AppId, UserId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { type Budget, type BudgetState, budgetOf } from '../../kernel/throttles.ts';
import { codeBudgets, scopeOf, spendDay } from '../login/check.ts';
import type { Account } from './commands.ts';
import { mailGuessed, renewLoginCode, tryLoginCode } from './login-codes/commands.ts';

/**
 * The budgets of a password attempt: that of this account and network, and for an unknown network the account's shared
 * budget.
 */
export const loginBudgets = ({ appId, email }: Account, network: string, isKnown: boolean): Budget[] => [
  budgetOf('login', appId, email, network),
  ...(isKnown ? [] : [unknownCallers(appId, email)]),
];

const unknownCallers = (appId: AppId, email: string) => budgetOf('login_unknown_callers', appId, email);

/**
 * Counts a mail that a sign-up or a new code causes to an address. The first ones that a network causes at an app pass
 * whatever others have caused. Throws V2_THROTTLED, alike for every address.
 */
export async function countCodeMail(call: MailCall, account: Account): Promise<void> {
  if (await isFirstMail(call, account)) return;
  await call.throttle(budgetOf('mail', account.appId, account.email), sharedMails(account));
}

/** Counts the mail of a reset to a user who is not verified. Whether it may be sent. */
export async function mayMailReset(call: MailCall, account: Account): Promise<boolean> {
  if (await isFirstMail(call, account)) return true;
  return hasLeft(await call.deps.throttle.spend([sharedMails(account)]));
}

const sharedMails = ({ email }: Account): Budget => budgetOf('sign_up_mails', email);

const isFirstMail = async ({ deps, network }: MailCall, { appId, email }: Account) =>
  hasLeft(
    await deps.throttle.spend([
      budgetOf('first_mails', appId, email, network),
      budgetOf('first_mails_of_app', appId, email),
      budgetOf('all_first_mails', email),
    ]),
  );

const hasLeft = (states: readonly BudgetState[]) => states.every(({ remaining }) => remaining >= 0);

/** Resets the attempt budgets of an account: the reader of its mail has proven to be its owner and need not wait. */
export const forgetAttempts = (
  call: Pick<CallWith<{ throttle: Pick<Throttle, 'forgive'> }>, 'deps' | 'network'>,
  account: Account,
  userId: UserId,
): Promise<void> =>
  call.deps.throttle.forgive([
    budgetOf('login', account.appId, account.email, call.network),
    unknownCallers(account.appId, account.email),
    ...codeBudgets(userId, scopeOf(true, call.network)),
    ...codeBudgets(userId, scopeOf(false, call.network)),
  ]);

type MailCall = Pick<CallWith<{ throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;
type AttemptCall = Pick<CallWith<{ db: Db; sealer: Sealer; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;

/** Who enters a code, and whether from a network of an earlier log-in. */
export type Tried = { userId: UserId; isKnown: boolean; emailCode: string | undefined };

/**
 * Counts an attempt at a user's authenticator code, before the code is compared. Once the attempts of the day are spent,
 * each needs the mailed code besides. Attempts from unknown networks do not spend those of a known one. Throws V2_THROTTLED,
 * V2_EMAIL_CODE_REQUIRED, having mailed one, and V2_OTP_INVALID for a wrong one. Returns what to do if the
 * authenticator code is wrong: after the last attempt of the day it mails the user.
 */
export async function countCodeAttempt(
  call: AttemptCall,
  { userId, isKnown, emailCode }: Tried,
): Promise<() => Promise<void>> {
  const { db, sealer, throttle } = call.deps;
  const scope = scopeOf(isKnown, call.network);
  const [short, day] = codeBudgets(userId, scope);
  await call.throttle(short);
  if (emailCode !== undefined) {
    if (!(await tryLoginCode(db, sealer, { userId, scope }, emailCode))) throw new ApiError('V2_OTP_INVALID');
    return async () => {};
  }
  const onWrongCode = await spendDay(throttle, day, () => mailGuessed(db, userId));
  if (onWrongCode) return onWrongCode;
  const [mails] = await throttle.spend([budgetOf('login_code_mails', userId, scope)]);
  if (mails && mails.remaining >= 0) await renewLoginCode(db, sealer, { userId, scope });
  throw new ApiError('V2_EMAIL_CODE_REQUIRED');
}
