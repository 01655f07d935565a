import type { Handler } from '../edge/handler.ts';
import { sendNotification as send } from './intents.ts';

export const sendNotification: Handler<'sendNotification'> = async ({ runtime, principal, body }) => ({
  status: 200,
  body: await send(runtime.db, principal.owner, body),
});
