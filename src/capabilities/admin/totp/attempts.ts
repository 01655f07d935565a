import type { CallWith } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Budget } from '../../../kernel/throttles.ts';
import { codeBudgets, scopeOf, spendDay } from '../../login/check.ts';
import { mailGuessed } from './commands.ts';

type Call = Pick<CallWith<{ db: Db; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;

/** Who enters a code, whether from a network of an earlier log-in, and how often others restored the attempts. */
type Tried = { adminId: string; isKnown: boolean; releases: number };

/** The budgets of an operator's attempts: the short one, and the one over days, which starts again after each release. */
export const adminTotpBudgets = ({ adminId, isKnown, releases }: Tried, network: string): [Budget, Budget] =>
  codeBudgets(adminId, scopeOf(isKnown, network), releases);

/**
 * Counts an attempt at an operator's authenticator code, before the code is compared. Throws V2_THROTTLED, and
 * V2_OPERATOR_RELEASE_REQUIRED once the attempts of the day are spent. Returns what to do if the code is wrong: after the
 * last attempt of the day it mails the operator.
 */
export async function countAdminCodeAttempt(call: Call, tried: Tried): Promise<() => Promise<void>> {
  const { db, throttle } = call.deps;
  const [short, day] = adminTotpBudgets(tried, call.network);
  await call.throttle(short);
  const onWrongCode = await spendDay(throttle, day, () => mailGuessed(db, tried.adminId));
  if (!onWrongCode) throw new ApiError('V2_OPERATOR_RELEASE_REQUIRED');
  return onWrongCode;
}
