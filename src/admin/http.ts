import type { Db } from '../db/pool.ts';
import type { Throttle } from '../db/throttles.ts';
import type { Handler } from '../edge/handler.ts';
import { ADMIN_COOKIE_NAME } from '../kernel/cookies.ts';
import { digest, normalisedEmail } from '../kernel/ids.ts';
import { adminOf } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/seal.ts';
import { budgetOf } from '../kernel/throttles.ts';
import { actorAs, actorOf } from './audit/actor.ts';
import { checkAdminLogin, forgiveAdminLogin, rejectAdminLogin } from './sessions/check.ts';
import { closeAdminSession, openAdminSession } from './sessions/commands.ts';
import { confirmAdminTotp, enrollAdminTotp, releaseAdmin } from './totp/commands.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/admin/login`: log an operator in. */
export const logInAdmin: Handler<'logInAdmin', Deps> = async (call) => {
  const email = normalisedEmail(call.body.email);
  const { admin, checked } = await checkAdminLogin(call, email, call.body);
  const adminId = checked.accountId;
  const shown = { admin_id: adminId, email, totp_enrolled: admin.has_totp === true };
  if (checked.kind === 'code_missing')
    return { status: 200, body: { ...shown, totp_required: true, expires_at: null } };
  const session = await openAdminSession(call.deps.db, checked, actorAs(call, adminId), digest(call.network));
  if (!session) return rejectAdminLogin(call, adminId, 'V2_MFA_INVALID');
  await forgiveAdminLogin(call, email, { adminId, releases: admin.totp_releases ?? 0 });
  return {
    status: 200,
    body: { ...shown, totp_required: false, expires_at: session.expiresAt },
    headers: { 'Set-Cookie': setCookie(session.token) },
  };
};

const setCookie = (token: string, rest = '') =>
  `${ADMIN_COOKIE_NAME}=${token}; Path=/; HttpOnly; Secure; SameSite=Strict${rest}`;

/** Handles `POST /v2/admin/logout`: end the current admin session. */
export const logOutAdmin: Handler<'logOutAdmin', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  return call.commit(async (db) => {
    await closeAdminSession(db, admin, actorOf(call));
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
    const body = await enrollAdminTotp(db, call.deps.sealer, admin, actorOf(call));
    return { status: 200, body };
  });
};

/** Handles `POST /v2/admin/totp/confirm`: confirm an operator's authenticator by its first code. */
export const confirmAdminAuthenticator: Handler<'confirmAdminAuthenticator', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  await call.throttle(budgetOf('totp', 'admin', admin.adminId, 'confirm'));
  return call.commit(async (db) => {
    await confirmAdminTotp(db, call.deps.sealer, admin, call.body.code, actorOf(call));
    return { status: 200, body: { enabled: true } };
  });
};

/** Handles `POST /v2/admin/operators/{admin_id}/release`: restore an operator's attempts at the authenticator code. */
export const releaseOperator: Handler<'releaseOperator', Deps> = async (call) => {
  return call.commit(async (db) => {
    await releaseAdmin(db, call.path.admin_id, actorOf(call), call.body.reason);
    return { status: 200, body: { released: true } };
  });
};
