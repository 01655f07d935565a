import type { Db } from '../db/pool.ts';
import type { Handler } from '../edge/handler.ts';
import { sendNotification as send } from './commands.ts';

type Deps = { db: Db };

/** Handles `POST /v2/notifications/send`: mail a user of the app, emit an event, or both. */
export const sendNotification: Handler<'sendNotification', Deps> = async ({ deps, principal, body }) => ({
  status: 200,
  body: await send(deps.db, principal.owner, body),
});
