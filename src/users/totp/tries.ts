import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import type { CallWith } from '../../edge/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { scopeOf, totpBudgets } from '../attempts.ts';
import { mailGuessed, renewLoginCode, tryLoginCode } from '../login-codes/commands.ts';

type Call = Pick<CallWith<{ db: Db; sealer: Sealer; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;

/** Who tries a code, and whether from a network of an earlier log-in. */
export type Tried = { userId: UserId; isKnown: boolean; emailCode: string | undefined };

/**
 * Counts a try at a user's authenticator code, before the code is compared. Once the tries of the day are spent, each
 * needs the mailed code besides. Tries from unknown networks do not spend those of a known one. Throws V2_THROTTLED,
 * V2_EMAIL_CODE_REQUIRED, having mailed one, and V2_OTP_INVALID for a wrong one. Returns what to do if the
 * authenticator code is wrong: after the last try of the day it mails the user.
 */
export async function countTry(call: Call, { userId, isKnown, emailCode }: Tried): Promise<() => Promise<void>> {
  const { db, sealer, throttle } = call.deps;
  const scope = scopeOf(isKnown, call.network);
  const [short, day] = totpBudgets(userId, scope);
  await call.throttle(short);
  if (emailCode !== undefined) {
    if (!(await tryLoginCode(db, sealer, { userId, scope }, emailCode))) throw new ApiError('V2_OTP_INVALID');
    return async () => {};
  }
  const [state] = await throttle.spend([day]);
  const left = state?.remaining ?? -1;
  if (left >= 0) return async () => (left === 0 ? mailGuessed(db, userId) : undefined);
  const [mails] = await throttle.spend([budgetOf('login_code_mails', userId, scope)]);
  if (mails && mails.remaining >= 0) await renewLoginCode(db, sealer, { userId, scope });
  throw new ApiError('V2_EMAIL_CODE_REQUIRED');
}
