import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import type { CallWith } from '../../edge/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import { digest } from '../../kernel/ids.ts';
import { appLane } from '../../kernel/passwords.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { type CheckedLogin, checkPassword, checkSecondFactor, codeBudgets, scopeOf } from '../../login/commands.ts';
import { countTry, loginBudgets } from '../attempts.ts';
import type { Account } from '../commands.ts';
import { readLogin, userSealContext } from '../queries.ts';

type Call = Pick<CallWith<{ db: Db; sealer: Sealer; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;
type Given = { password: string; totp_code?: string; email_code?: string };

/**
 * Counts an attempt and checks password and authenticator code. `code_missing`: the password is right, and a code is
 * needed. Throws V2_INVALID_CREDENTIALS, V2_EMAIL_NOT_VERIFIED, V2_MFA_INVALID, and what `countTry` throws.
 */
export async function checkLogin(call: Call, account: Account, given: Given): Promise<CheckedLogin | 'code_missing'> {
  const { deps, network } = call;
  const user = await readLogin(deps.db, account.appId, account.email, digest(network));
  await call.throttle(...loginBudgets(account, network, user.is_known_address));
  const lane = appLane(account.appId);
  const found = await checkPassword(user, given.password, lane);
  if (found === 'sign_up') throw new ApiError('V2_EMAIL_NOT_VERIFIED');
  if (!found) throw rejectedLogin('V2_INVALID_CREDENTIALS');
  const factors = { password: given.password, code: given.totp_code, lane };
  let onWrongCode = async () => {};
  const checked = await checkSecondFactor(found, factors, async (seed) => {
    const tried = { userId: found.id, isKnown: user.is_known_address, emailCode: given.email_code };
    onWrongCode = await countTry(call, tried);
    return deps.sealer.open(seed, userSealContext(found.id)).toString();
  });
  if (checked === 'code_wrong') {
    await onWrongCode();
    throw rejectedLogin('V2_MFA_INVALID');
  }
  return checked;
}

/**
 * Resets the attempts of a log-in that succeeded, from this network only: the owner's log-ins give a stranger who has
 * the password no further tries.
 */
export const forgiveLogin = (
  { deps, network }: Call,
  { appId, email }: Account,
  { accountId }: CheckedLogin,
): Promise<void> =>
  deps.throttle.forgive([budgetOf('login', appId, email, network), ...codeBudgets(accountId, scopeOf(true, network))]);

/** The error of a log-in, with its challenge. */
export const rejectedLogin = (code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID'): ApiError =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });
