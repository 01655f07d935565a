import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import type { Handler } from '../../edge/handler.ts';
import { digest } from '../../kernel/digest.ts';
import { normalisedEmail } from '../../kernel/emails.ts';
import { ApiError } from '../../kernel/errors.ts';
import { appLane } from '../../kernel/passwords.ts';
import { appOf, userOf } from '../../kernel/principal.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { checkPassword, checkSecondFactor } from '../../login/commands.ts';
import { loginBudgets, totpBudget } from '../attempts.ts';
import { readLogin, userSealContext } from '../queries.ts';
import { endSession, endSessionByToken, openSession } from './commands.ts';
import { listSessionsOf } from './queries.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/auth/login`: log an end user in. */
export const logInUser: Handler<'logInUser', Deps> = async (call) => {
  const { deps, body, network } = call;
  const account = { appId: appOf(call.principal).owner, email: normalisedEmail(body.email) };
  const user = await readLogin(deps.db, account.appId, account.email, digest(network));
  const budgets = loginBudgets(account, network, user.is_known_address);
  await call.throttle(...budgets);
  const lane = appLane(account.appId);
  const found = await checkPassword(user, body.password, lane);
  if (found === 'sign_up') throw new ApiError('V2_EMAIL_NOT_VERIFIED');
  if (!found) throw rejected('V2_INVALID_CREDENTIALS');
  const given = { password: body.password, code: body.totp_code, lane };
  const checked = await checkSecondFactor(found, given, async (seed) => {
    await call.throttle(totpBudget(found.id));
    return deps.sealer.open(seed, userSealContext(found.id)).toString();
  });
  if (checked === 'code_missing') return { status: 200, body: { mfa_required: true } };
  if (checked === 'code_wrong') throw rejected('V2_MFA_INVALID');
  const session = await openSession(deps.db, checked, call);
  if (!session) throw rejected(checked.step === null ? 'V2_INVALID_CREDENTIALS' : 'V2_MFA_INVALID');
  await deps.throttle.forgive([...budgets.slice(0, 1), totpBudget(found.id)]);
  return {
    status: 200,
    body: {
      user_id: found.id,
      email: account.email,
      session_token: session.token,
      session_expires_at: session.expiresAt,
      mfa_required: false,
    },
    headers: { 'Cache-Control': 'no-store' },
  };
};

const rejected = (code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID') =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

/** Handles `POST /v2/auth/sessions/revoke`: log out. */
export const revokeUserSession: Handler<'revokeUserSession', Deps> = async (call) => {
  const { deps, principal, body } = call;
  if (body?.session_token !== undefined) {
    await endSessionByToken(deps.db, appOf(principal).owner, body.session_token);
  } else {
    if (principal.kind !== 'user') throw noSession();
    await endSession(deps.db, principal.userId, body?.session_id ?? principal.sessionId);
  }
  return { status: 200, body: { revoked: true } };
};

const noSession = () =>
  new ApiError('V2_SESSION_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

/** Handles `GET /v2/auth/sessions`: list the user's sessions. */
export const listUserSessions: Handler<'listUserSessions', Deps> = async ({ deps, principal }) => {
  const { userId, sessionId } = userOf(principal);
  const sessions = await listSessionsOf(deps.db, userId);
  return {
    status: 200,
    body: sessions.map((session) => ({ ...session, current: session.session_id === sessionId })),
  };
};
