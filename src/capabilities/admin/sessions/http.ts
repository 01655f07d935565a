import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ADMIN_COOKIE_NAME } from '../../../kernel/cookies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, normalisedEmail } from '../../../kernel/ids.ts';
import { adminOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { actorAs, actorOf } from '../audit/actor.ts';
import { checkAdminLogin, forgiveAdminLogin, rejectAdminLogin } from './check.ts';
import { closeAdminSession, openAdminSession } from './commands.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/admin/login`: log an operator in. */
export const logInAdmin: Handler<'logInAdmin', Deps> = async (call) => {
  const email = normalisedEmail(call.body.email);
  const { admin, checked } = await checkAdminLogin(call, email, call.body);
  const adminId = checked.accountId;
  const shown = { admin_id: adminId, email, totp_enrolled: admin.has_totp === true };
  if (checked.kind === 'code_missing')
    return { status: 200, body: { ...shown, totp_required: true, expires_at: null } };
  const opening = call.commit(async (db) => {
    const session = await openAdminSession(db, checked, actorAs(call, adminId), digest(call.network));
    if (!session) throw new ApiError('V2_MFA_INVALID');
    return {
      status: 200 as const,
      body: { ...shown, totp_required: false, expires_at: session.expiresAt },
      headers: { 'Set-Cookie': setCookie(session.token) },
    };
  });
  const reply = await opening.catch((error) => {
    if (error instanceof ApiError) return rejectAdminLogin(call, adminId, 'V2_MFA_INVALID');
    throw error;
  });
  await forgiveAdminLogin(call, email, { adminId, releases: admin.totp_releases ?? 0 });
  return reply;
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
  const { adminId, email, role, isEnrolled } = adminOf(principal);
  const shown = { admin_id: adminId, email, role, is_superadmin: role === 'admin' };
  return { status: 200, body: { ...shown, totp_enrolled: isEnrolled } };
};
