import type { Body } from '../../../contract/body.ts';
import type { CallWith, Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type AppId, digest, normalisedEmail } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { appLane } from '../../../kernel/passwords.ts';
import { appOf, type User, userOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { type CheckedLogin, checkLogin, codeBudgets, type RightLogin, scopeOf } from '../../login/check.ts';
import { countCodeAttempt, loginBudgets } from '../attempts.ts';
import type { Account } from '../commands.ts';
import { readLogin, userSealContext } from '../queries.ts';
import { endSession, openSession, reauthenticate, removeSession } from './commands.ts';
import { findSessionByToken, isSessionOf, type ListedSession, listSessionsOf } from './queries.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/auth/login`: log an end user in. */
export const logInUser: Handler<'logInUser', Deps> = async (call) => {
  const account = { appId: appOf(call.principal).owner, email: normalisedEmail(call.body.email) };
  const logIn = async (checked: RightLogin) => {
    if (checked.kind === 'code_missing') return { status: 200 as const, body: { mfa_required: true } };
    return call.commit(async (db) => {
      const session = await openSession(db, checked, call);
      if (!session) throw new OutdatedLogin();
      return {
        status: 200 as const,
        body: {
          user_id: checked.accountId,
          email: account.email,
          session_token: session.token,
          session_expires_at: session.expiresAt,
          mfa_required: false,
        },
      };
    });
  };
  return byLogin(call, account, logIn);
};

/** Handles `POST /v2/auth/reauthenticate`: prove the password again. */
export const reauthenticateUser: Handler<'reauthenticateUser', Deps> = async (call) => {
  const { owner, email, sessionId } = userOf(call.principal);
  return byLogin(call, { appId: owner, email, hasSession: true as const }, (checked) => {
    if (checked.kind === 'code_missing') throw rejectedLogin('V2_MFA_INVALID');
    return call.commit(async (db) => {
      const provenAt = await reauthenticate(db, checked, sessionId);
      if (provenAt === null) throw new OutdatedLogin();
      return { status: 200 as const, body: { reauthenticated_at: provenAt } };
    });
  });
};

type Call = Pick<CallWith<Deps>, 'deps' | 'network' | 'throttle'>;
type Credentials = { password: string; totp_code?: string; email_code?: string };

/** The database does not accept a log-in that was checked: its code was used, or password or authenticator have changed meanwhile. */
class OutdatedLogin extends Error {}

/**
 * Checks a log-in, see `checkUserLogin`, and acts on it; then its attempts are forgiven. If the password or the authenticator
 * has changed meanwhile it is checked once more: the response is true of what they are now.
 */
async function byLogin<Reply>(
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
const rejectedLogin = (code: 'V2_INVALID_CREDENTIALS' | 'V2_MFA_INVALID'): ApiError =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

/**
 * Handles `POST /v2/auth/sessions/revoke`: log out, or remove another session with what was made in it. A token without
 * a session beside it is a log-out by the app. A session that has ended already stays so. Throws V2_SESSION_UNKNOWN.
 */
export const revokeUserSession: Handler<'revokeUserSession', Deps> = ({ principal, body, commit }) =>
  commit(async (db) => {
    const current = principal.kind === 'user' ? principal : null;
    const ended = await sessionToEnd(db, appOf(principal).owner, current, body);
    if (!ended) throw new ApiError('V2_SESSION_UNKNOWN');
    if (current && ended.session_id !== current.sessionId) await removeSession(db, ended.user_id, ended.session_id);
    else await endSession(db, ended.user_id, ended.session_id);
    return { status: 200, body: { revoked: true } };
  });

async function sessionToEnd(db: Db, appId: AppId, current: User | null, body: Body<'revokeUserSession'>) {
  if (body?.session_token !== undefined) return findSessionByToken(db, appId, body.session_token);
  if (!current) throw new ApiError('V2_SESSION_INVALID');
  const session_id = body?.session_id ?? current.sessionId;
  return (await isSessionOf(db, current.userId, session_id)) ? { user_id: current.userId, session_id } : null;
}

/** Handles `GET /v2/auth/sessions`: list the user's sessions. */
export const listUserSessions: Handler<'listUserSessions', Deps> = async ({ deps, principal, query }) => {
  const { userId, sessionId } = userOf(principal);
  const isKnown = (id: string) => isSessionOf(deps.db, userId, id);
  const shown = { path: '/v2/auth/sessions', cursorOf: (session: ListedSession) => session.session_id, isKnown };
  const page = await listPage(query, shown, (wanted) => listSessionsOf(deps.db, userId, wanted));
  return { ...page, body: page.body.map((session) => ({ ...session, current: session.session_id === sessionId })) };
};
