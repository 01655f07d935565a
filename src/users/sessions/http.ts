import type { Call, Handler } from '../../edge/handler.ts';
import { digest } from '../../kernel/digest.ts';
import { normalisedEmail } from '../../kernel/emails.ts';
import { hashPassword, isOutdated, isPassword } from '../../kernel/passwords.ts';
import { appOf, userOf } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { stepOf } from '../../kernel/totp.ts';
import { logIn } from '../intents.ts';
import { type LoginRow, readLogin } from '../queries.ts';
import { userSeed } from '../totp/intents.ts';
import { loginBudgets, totpBudget } from '../tries.ts';
import { endSession, endSessionByToken } from './intents.ts';
import { listSessionsOf } from './queries.ts';

export const logInUser: Handler<'logInUser'> = async (call) => {
  const { runtime, body, network } = call;
  const account = { appId: appOf(call.principal).owner, email: normalisedEmail(body.email) };
  const user = await readLogin(runtime.db, account.appId, account.email, digest(network));
  const tries = loginBudgets(account, network, user.is_known_address);
  await call.throttle(...tries);
  const isRight = await isPassword(body.password, user.password_hash);
  if (!isRight || user.id === null || user.password_hash === null) throw refused('V2_INVALID_CREDENTIALS');
  if (!user.is_verified) throw new Refusal('V2_EMAIL_NOT_VERIFIED');
  if (user.has_totp && body.totp_code === undefined) {
    return { status: 200, body: { mfa_required: true } };
  }
  const step = user.has_totp ? await stepOfCode(call, user, body.totp_code ?? '') : null;
  const newHash = isOutdated(user.password_hash) ? await hashPassword(body.password) : null;
  const checked = { userId: user.id, hash: user.password_hash, newHash, step };
  const session = await logIn(runtime.db, checked, call);
  if (!session) throw refused(step === null ? 'V2_INVALID_CREDENTIALS' : 'V2_MFA_INVALID');
  await runtime.throttle.forgive([...tries.slice(0, 1), totpBudget(user.id)]);
  return {
    status: 200,
    body: {
      user_id: user.id,
      email: account.email,
      session_token: session.token,
      session_expires_at: session.expiresAt,
      mfa_required: false,
    },
    headers: { 'Cache-Control': 'no-store' },
  };
};

/** The time step of a user's code, counted as a try before it is compared. */
async function stepOfCode(call: Call, { id, totp_seed, now_s }: LoginRow, code: string): Promise<number> {
  if (!id || !totp_seed) throw new Error('A user with TOTP on has a seed');
  await call.throttle(totpBudget(id));
  const step = stepOf(call.runtime.sealer.open(totp_seed, userSeed(id)).toString(), code, now_s);
  if (step === null) throw refused('V2_MFA_INVALID');
  return step;
}

const refused = (code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID') =>
  new Refusal(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

export const revokeUserSession: Handler<'revokeUserSession'> = async (call) => {
  const { runtime, principal, body } = call;
  if (body?.session_token !== undefined) {
    await endSessionByToken(runtime.db, appOf(principal).owner, body.session_token);
  } else {
    if (principal.kind !== 'user') throw noSession();
    await endSession(runtime.db, principal.userId, body?.session_id ?? principal.sessionId);
  }
  return { status: 200, body: { revoked: true } };
};

const noSession = () =>
  new Refusal('V2_SESSION_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

export const listUserSessions: Handler<'listUserSessions'> = async ({ runtime, principal }) => {
  const { userId, sessionId } = userOf(principal);
  const sessions = await listSessionsOf(runtime.db, userId);
  return {
    status: 200,
    body: sessions.map((session) => ({ ...session, current: session.session_id === sessionId })),
  };
};
