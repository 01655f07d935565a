import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { requireValue } from '../../../kernel/require.ts';
import { actorOf } from '../audit/actor.ts';
import { endSessions, removeAuthenticator } from './commands.ts';
import { findUserRecord } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/users/{user_id}`: read a user with accounts, payments, payouts and sessions. */
export const getUserRecord: Handler<'getUserRecord', Deps> = async ({ deps, path }) => ({
  status: 200,
  body: requireValue(await findUserRecord(deps.db, path.user_id), 'V2_USER_UNKNOWN'),
});

/** Handles `POST /v2/admin/users/{user_id}/end-sessions`: end a user's sessions. */
export const endUserSessions: Handler<'endUserSessions', Deps> = (call) =>
  call.commit(async (db) => {
    const { reason, session_id = null } = call.body;
    const wanted = { userId: call.path.user_id, sessionId: session_id };
    return { status: 200, body: { ended: await endSessions(db, wanted, actorOf(call), reason) } };
  });

/** Handles `POST /v2/admin/users/{user_id}/remove-authenticator`: remove a user's authenticator. */
export const removeUserAuthenticator: Handler<'removeUserAuthenticator', Deps> = (call) =>
  call.commit(async (db) => {
    await removeAuthenticator(db, call.path.user_id, actorOf(call), call.body.reason);
    return { status: 200, body: { enabled: false } };
  });
