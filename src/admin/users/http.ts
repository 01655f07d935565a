import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { actorOf } from '../audit/actor.ts';
import { removeAuthenticator } from './commands.ts';

type Deps = { db: Db };

/** Handles `POST /v2/admin/users/{user_id}/remove-authenticator`: remove a user's authenticator. */
export const removeUserAuthenticator: Handler<'removeUserAuthenticator', Deps> = (call) =>
  call.commit(async (db) => {
    await removeAuthenticator(db, call.path.user_id, actorOf(call), call.body.reason);
    return { status: 200, body: { enabled: false } };
  });
