import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import type { CallWith } from '../../edge/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Budget, budgetOf } from '../../kernel/throttles.ts';
import { mailGuessed } from './commands.ts';

type Call = Pick<CallWith<{ db: Db; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;

/** Who tries a code, whether from a network of an earlier log-in, and how often others restored the tries. */
type Tried = { adminId: string; isKnown: boolean; releases: number };

/** The budgets of an operator's tries: the short one, and the one over days, anew after each release. */
export const adminTotpBudgets = ({ adminId, isKnown, releases }: Tried, network: string): [Budget, Budget] => {
  const scope = isKnown ? network : 'unknown';
  return [budgetOf('totp', 'admin', adminId, scope), budgetOf('totp_day', 'admin', adminId, String(releases), scope)];
};

/**
 * Counts a try at an operator's authenticator code, before the code is compared. Tries from unknown networks do not
 * spend those of a known one. Throws V2_THROTTLED, and V2_OPERATOR_RELEASE_REQUIRED once the tries of the day are spent.
 * Returns what to do if the code is wrong: after the last try of the day it mails the operator.
 */
export async function countAdminTry(call: Call, tried: Tried): Promise<() => Promise<void>> {
  const [short, day] = adminTotpBudgets(tried, call.network);
  await call.throttle(short);
  const [state] = await call.deps.throttle.spend([day]);
  const left = state?.remaining ?? -1;
  if (left < 0) throw new ApiError('V2_OPERATOR_RELEASE_REQUIRED');
  return async () => (left === 0 ? mailGuessed(call.deps.db, tried.adminId) : undefined);
}
