import type { Body } from '../../../contract/body.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type AppId, normalisedEmail } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { appOf, type User, userOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import type { RightLogin } from '../../login/check.ts';
import { byLogin, OutdatedLogin, rejectedLogin } from './check.ts';
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
