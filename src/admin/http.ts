import type { Db } from '../db/pool.ts';
import type { Throttle } from '../db/throttles.ts';
import type { Call, Handler } from '../edge/handler.ts';
import { ADMIN_COOKIE_NAME } from '../kernel/cookies.ts';
import { ApiError } from '../kernel/errors.ts';
import { digest, normalisedEmail } from '../kernel/ids.ts';
import { operatorLane } from '../kernel/passwords.ts';
import { adminOf } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/seal.ts';
import { budgetOf } from '../kernel/throttles.ts';
import { checkPassword, checkSecondFactor } from '../login/commands.ts';
import { type Actor, note } from './audit/commands.ts';
import { readAdmin } from './queries.ts';
import { closeAdminSession, openAdminSession } from './sessions/commands.ts';
import { adminSealContext, confirmAdminTotp, enrollAdminTotp, releaseAdmin } from './totp/commands.ts';
import { adminTotpBudgets, countAdminTry } from './totp/tries.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/admin/login`: log an operator in. */
export const logInAdmin: Handler<'logInAdmin', Deps> = async (call) => {
  const { deps, body } = call;
  const email = normalisedEmail(body.email);
  const from = digest(call.network);
  const admin = await readAdmin(deps.db, email, from);
  const budgets = [budgetOf('login', 'admin', email, call.network)];
  await call.throttle(...budgets, ...(admin.is_known_address ? [] : [budgetOf('login_strangers', 'admin', email)]));
  const lane = operatorLane(admin.is_known_address ? null : call.network);
  const found = await checkPassword(admin, body.password, lane);
  if (found === 'sign_up' || !found?.email) return rejectLogin(call, admin.id, 'V2_INVALID_CREDENTIALS');
  const shown = { admin_id: found.id, email: found.email, totp_enrolled: found.has_totp === true };
  const given = { password: body.password, code: body.totp_code, lane };
  const tried = { adminId: found.id, isKnown: admin.is_known_address, releases: found.totp_releases ?? 0 };
  let onWrongCode = async () => {};
  const checked = await checkSecondFactor(found, given, async (seed) => {
    onWrongCode = await countAdminTry(call, tried);
    return deps.sealer.open(seed, adminSealContext(found.id)).toString();
  });
  if (checked === 'code_missing') return { status: 200, body: { ...shown, totp_required: true, expires_at: null } };
  const act = { actor: actorOf(call, found.id), action: 'admin.login' };
  if (checked === 'code_wrong') await onWrongCode();
  const session = checked === 'code_wrong' ? null : await openAdminSession(deps.db, checked, act, from);
  if (!session) return rejectLogin(call, found.id, 'V2_MFA_INVALID');
  await deps.throttle.forgive([...budgets, ...adminTotpBudgets({ ...tried, isKnown: true }, call.network)]);
  return {
    status: 200,
    body: { ...shown, totp_required: false, expires_at: session.expiresAt },
    headers: { 'Set-Cookie': setCookie(session.token) },
  };
};

async function rejectLogin(
  call: Call<'logInAdmin', Deps>,
  adminId: string | null,
  code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID',
): Promise<never> {
  await note(call.deps.db, { actor: actorOf(call, null), action: 'admin.login_refused', detail: { code } }, adminId);
  throw new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 operators"' } });
}

const setCookie = (token: string, rest = '') =>
  `${ADMIN_COOKIE_NAME}=${token}; Path=/; HttpOnly; Secure; SameSite=Strict${rest}`;

/** Handles `POST /v2/admin/logout`: end the current admin session. */
export const logOutAdmin: Handler<'logOutAdmin', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  return call.commit(async (db) => {
    await closeAdminSession(db, admin, actorOf(call, admin.adminId));
    return { status: 200, body: { revoked: true }, headers: { 'Set-Cookie': setCookie('', '; Max-Age=0') } };
  });
};

/** Handles `GET /v2/admin/me`: read the current operator. */
export const getCurrentAdmin: Handler<'getCurrentAdmin', Deps> = async ({ principal }) => {
  const { adminId, email, isSuperadmin, isEnrolled } = adminOf(principal);
  return { status: 200, body: { admin_id: adminId, email, is_superadmin: isSuperadmin, totp_enrolled: isEnrolled } };
};

/** Handles `POST /v2/admin/totp/enroll`: begin to enroll an operator's authenticator. */
export const enrollAdminAuthenticator: Handler<'enrollAdminAuthenticator', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  return call.commit(async (db) => {
    const body = await enrollAdminTotp(db, call.deps.sealer, admin, actorOf(call, admin.adminId));
    return { status: 200, body };
  });
};

/** Handles `POST /v2/admin/totp/confirm`: confirm an operator's authenticator by its first code. */
export const confirmAdminAuthenticator: Handler<'confirmAdminAuthenticator', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  await call.throttle(budgetOf('totp', 'admin', admin.adminId, 'confirm'));
  return call.commit(async (db) => {
    await confirmAdminTotp(db, call.deps.sealer, admin, call.body.code, actorOf(call, admin.adminId));
    return { status: 200, body: { enabled: true } };
  });
};

/** Handles `POST /v2/admin/operators/{admin_id}/release`: restore an operator's tries at the authenticator code. */
export const releaseOperator: Handler<'releaseOperator', Deps> = async (call) => {
  const { adminId } = adminOf(call.principal);
  return call.commit(async (db) => {
    await releaseAdmin(db, call.path.admin_id, actorOf(call, adminId), call.body.reason);
    return { status: 200, body: { released: true } };
  });
};

const actorOf = ({ address, requestId }: Pick<Call, 'address' | 'requestId'>, adminId: string | null): Actor => ({
  adminId,
  address,
  requestId,
});
