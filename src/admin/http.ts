import type { Call, Handler } from '../edge/handler.ts';
import { ADMIN_COOKIE_NAME } from '../kernel/cookies.ts';
import { digest } from '../kernel/digest.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { hashPassword, isOutdated, isPassword } from '../kernel/passwords.ts';
import { adminOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import { budgetOf } from '../kernel/throttles.ts';
import { stepOf } from '../kernel/totp.ts';
import { type Actor, note } from './audit/intents.ts';
import { adminSeed, closeAdminSession, confirmAdminTotp, enrollAdminTotp, openAdminSession } from './intents.ts';
import { type AdminRow, readAdmin } from './queries.ts';

export const logInAdmin: Handler<'logInAdmin'> = async (call) => {
  const { runtime, body } = call;
  const email = normalisedEmail(body.email);
  const from = digest(call.network);
  const admin = await readAdmin(runtime.db, email, from);
  const tries = [budgetOf('login', 'admin', email, call.network)];
  await call.throttle(...tries, ...(admin.is_known_address ? [] : [budgetOf('login_strangers', 'admin', email)]));
  if (!(await isPassword(body.password, admin.password_hash)) || !admin.id || !admin.email || !admin.password_hash) {
    return refuseLogin(call, admin.id, 'V2_INVALID_CREDENTIALS');
  }
  const shown = { admin_id: admin.id, email: admin.email, totp_enrolled: admin.is_enrolled === true };
  if (admin.is_enrolled && body.totp_code === undefined) {
    return { status: 200, body: { ...shown, totp_required: true, expires_at: null } };
  }
  const step = admin.is_enrolled ? await stepOfCode(call, admin, body.totp_code ?? '') : null;
  const newHash = isOutdated(admin.password_hash) ? await hashPassword(body.password) : null;
  const checked = { adminId: admin.id, hash: admin.password_hash, newHash, step };
  const act = { actor: actorOf(call, admin.id), action: 'admin.login' };
  const session = await openAdminSession(runtime.db, checked, act, from);
  if (!session) return refuseLogin(call, admin.id, 'V2_MFA_INVALID');
  await runtime.throttle.forgive([...tries, budgetOf('totp', 'admin', admin.id)]);
  return {
    status: 200,
    body: { ...shown, totp_required: false, expires_at: session.expiresAt },
    headers: { 'Set-Cookie': setCookie(session.token), 'Cache-Control': 'no-store' },
  };
};

/** The time step of an operator's code, counted as a try before it is compared. */
async function stepOfCode(call: Call, { id, totp_seed, now_s }: AdminRow, code: string): Promise<number> {
  if (!id || !totp_seed) throw new Error('An enrolled operator has a seed');
  await call.throttle(budgetOf('totp', 'admin', id));
  const step = stepOf(call.runtime.sealer.open(totp_seed, adminSeed(id)).toString(), code, now_s);
  return step ?? refuseLogin(call, id, 'V2_MFA_INVALID');
}

async function refuseLogin(
  call: Call,
  adminId: string | null,
  code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID',
): Promise<never> {
  await note(call.runtime.db, { actor: actorOf(call, null), action: 'admin.login_refused', detail: { code } }, adminId);
  throw new Refusal(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 operators"' } });
}

const setCookie = (token: string, rest = '') =>
  `${ADMIN_COOKIE_NAME}=${token}; Path=/; HttpOnly; Secure; SameSite=Strict${rest}`;

export const logOutAdmin: Handler<'logOutAdmin'> = async (call) => {
  const admin = adminOf(call.principal);
  await closeAdminSession(call.runtime.db, admin, actorOf(call, admin.adminId));
  return { status: 200, body: { revoked: true }, headers: { 'Set-Cookie': setCookie('', '; Max-Age=0') } };
};

export const getCurrentAdmin: Handler<'getCurrentAdmin'> = async ({ principal }) => {
  const { adminId, email, isSuperadmin, isEnrolled } = adminOf(principal);
  return { status: 200, body: { admin_id: adminId, email, is_superadmin: isSuperadmin, totp_enrolled: isEnrolled } };
};

export const enrollAdminAuthenticator: Handler<'enrollAdminAuthenticator'> = async (call) => {
  const admin = adminOf(call.principal);
  const { db, sealer } = call.runtime;
  const body = await enrollAdminTotp(db, sealer, admin, actorOf(call, admin.adminId));
  return { status: 200, body, headers: { 'Cache-Control': 'no-store' } };
};

export const confirmAdminAuthenticator: Handler<'confirmAdminAuthenticator'> = async (call) => {
  const admin = adminOf(call.principal);
  const { db, sealer } = call.runtime;
  await call.throttle(budgetOf('totp', 'admin', admin.adminId));
  await confirmAdminTotp(db, sealer, admin, call.body.code, actorOf(call, admin.adminId));
  return { status: 200, body: { enabled: true } };
};

const actorOf = ({ address, requestId }: Pick<Call, 'address' | 'requestId'>, adminId: string | null): Actor => ({
  adminId,
  address,
  requestId,
});
