import type { CallWith } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest } from '../../../kernel/ids.ts';
import { appLane } from '../../../kernel/passwords.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { type CheckedLogin, checkLogin, codeBudgets, type RightLogin, scopeOf } from '../../login/check.ts';
import { countCodeAttempt, loginBudgets } from '../attempts.ts';
import type { Account } from '../commands.ts';
import { readLogin, userSealContext } from '../queries.ts';

type Call = Pick<CallWith<{ db: Db; sealer: Sealer; throttle: Throttle }>, 'deps' | 'network' | 'throttle'>;
type Credentials = { password: string; totp_code?: string; email_code?: string };

/**
 * Counts an attempt and checks password and authenticator code of a user. Throws V2_INVALID_CREDENTIALS,
 * V2_EMAIL_NOT_VERIFIED, V2_MFA_INVALID, and what `countCodeAttempt` throws. To a caller with a session of the user also
 * V2_PASSWORD_RESET_REQUIRED: nobody else may learn that the address is verified.
 */
async function checkUserLogin(
  call: Call,
  account: Account & { hasSession?: true },
  given: Credentials,
): Promise<RightLogin> {
  const { deps, network } = call;
  const row = await readLogin(deps.db, account.appId, account.email, digest(network));
  const isKnown = row.is_known_address;
  const result = await checkLogin({
    row,
    given,
    lane: appLane(account.appId),
    countAttempt: () => call.throttle(...loginBudgets(account, network, isKnown)),
    countCodeAttempt: (userId) => countCodeAttempt(call, { userId, isKnown, emailCode: given.email_code }),
    openSeed: (seed, userId) => deps.sealer.open(seed, userSealContext(userId)).toString(),
  });
  const isRight = result.kind === 'passed' || result.kind === 'code_missing';
  if (!isRight && row.lacks_password && account.hasSession) throw new ApiError('V2_PASSWORD_RESET_REQUIRED');
  if (result.kind === 'sign_up') throw new ApiError('V2_EMAIL_NOT_VERIFIED');
  if (result.kind === 'password_wrong') throw rejectedLogin('V2_INVALID_CREDENTIALS');
  if (result.kind === 'code_wrong') throw rejectedLogin('V2_MFA_INVALID');
  return result;
}

/** The database does not accept a log-in that was checked: its code was used, or password or authenticator have changed meanwhile. */
export class OutdatedLogin extends Error {}

/**
 * Checks a log-in, see `checkUserLogin`, and acts on it; then its attempts are forgiven. If the password or the authenticator
 * has changed meanwhile it is checked once more: the response is true of what they are now.
 */
export async function byLogin<Reply>(
  call: Call & { body: Credentials },
  account: Account & { hasSession?: true },
  act: (login: RightLogin) => Promise<Reply>,
  isLast = false,
): Promise<Reply> {
  const login = await checkUserLogin(call, account, call.body);
  try {
    const reply = await act(login);
    if (login.kind === 'passed') await forgiveLogin(call, account, login);
    return reply;
  } catch (error) {
    if (!(error instanceof OutdatedLogin) || login.kind !== 'passed') throw error;
    if (isLast || !(await hasChanged(call, account, login)))
      throw rejectedLogin(login.step === null ? 'V2_INVALID_CREDENTIALS' : 'V2_MFA_INVALID');
    return byLogin(call, account, act, true);
  }
}

async function hasChanged({ deps, network }: Call, { appId, email }: Account, { hash, step }: CheckedLogin) {
  const row = await readLogin(deps.db, appId, email, digest(network));
  return row.password_hash !== hash || row.has_totp !== (step !== null);
}

/**
 * Resets the attempts of a log-in that succeeded, from this network only: the owner's log-ins give an unknown
 * caller who has the password no further attempts.
 */
const forgiveLogin = ({ deps, network }: Call, { appId, email }: Account, { accountId }: CheckedLogin): Promise<void> =>
  deps.throttle.forgive([budgetOf('login', appId, email, network), ...codeBudgets(accountId, scopeOf(true, network))]);

/** The error of a log-in, with its challenge. */
export const rejectedLogin = (code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID'): ApiError =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });
