import type { CallWith } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest } from '../../../kernel/ids.ts';
import { operatorLane } from '../../../kernel/passwords.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { type Budget, budgetOf } from '../../../kernel/throttles.ts';
import { checkLogin, type RightLogin } from '../../login/check.ts';
import { actorAs } from '../audit/actor.ts';
import { note } from '../audit/commands.ts';
import { type AdminRow, readAdmin } from '../queries.ts';
import { adminTotpBudgets, countAdminCodeAttempt } from '../totp/attempts.ts';
import { adminSealContext } from '../totp/commands.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };
type Call = Pick<CallWith<Deps>, 'deps' | 'network' | 'throttle' | 'address' | 'requestId'>;
type Credentials = { password: string; totp_code?: string };

/**
 * Counts an attempt and checks password and authenticator code of an operator. Throws V2_INVALID_CREDENTIALS and
 * V2_MFA_INVALID, with an audit entry, and what `countAdminCodeAttempt` throws.
 */
export async function checkAdminLogin(
  call: Call,
  email: string,
  given: Credentials,
): Promise<{ admin: AdminRow; checked: RightLogin }> {
  const { deps, network } = call;
  const admin = await readAdmin(deps.db, email, digest(network));
  const isKnown = admin.is_known_address;
  const checked = await checkLogin({
    row: admin,
    given,
    lane: operatorLane(isKnown ? null : network),
    countAttempt: () =>
      call.throttle(
        loginBudget(email, network),
        ...(isKnown ? [] : [budgetOf('login_unknown_callers', 'admin', email)]),
      ),
    countCodeAttempt: (adminId) =>
      countAdminCodeAttempt(call, { adminId, isKnown, releases: admin.totp_releases ?? 0 }),
    openSeed: (seed, adminId) => deps.sealer.open(seed, adminSealContext(adminId)).toString(),
  });
  if (checked.kind === 'code_wrong') return rejectAdminLogin(call, checked.accountId, 'V2_MFA_INVALID');
  if (checked.kind === 'password_wrong' || checked.kind === 'sign_up')
    return rejectAdminLogin(call, admin.id, 'V2_INVALID_CREDENTIALS');
  return { admin, checked };
}

const loginBudget = (email: string, network: string): Budget => budgetOf('login', 'admin', email, network);

/** Resets the attempts of a log-in that succeeded, from this network only. */
export const forgiveAdminLogin = (
  { deps, network }: Call,
  email: string,
  tried: { adminId: string; releases: number },
): Promise<void> =>
  deps.throttle.forgive([loginBudget(email, network), ...adminTotpBudgets({ ...tried, isKnown: true }, network)]);

/** Throws the error of a log-in, with its challenge, after its audit entry. */
export async function rejectAdminLogin(
  call: Call,
  adminId: string | null,
  code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID',
): Promise<never> {
  await note(call.deps.db, { actor: actorAs(call, null), action: 'admin.login_refused', detail: { code } }, adminId);
  throw new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 operators"' } });
}
