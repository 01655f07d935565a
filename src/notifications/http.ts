import type { Db } from '../db/pool.ts';
import type { Handler } from '../edge/handler.ts';
import type { Until } from '../intents/follow.ts';
import { getMailStatus } from '../mail/queries.ts';
import { sendNotification as send } from './commands.ts';

type Deps = { db: Db; until: Until };

/** Handles `POST /v2/notifications/send`: mail a user of the app, emit an event, or both. */
export const sendNotification: Handler<'sendNotification', Deps> = async ({ deps, principal, body, waitMs }) => {
  const { mailId, deliveries } = await send(deps.db, principal.owner, body);
  const status = mailId === null ? null : await waitForMail(deps, mailId, waitMs);
  return {
    status: 200,
    body: {
      email_sent: status === 'sent',
      email_status: status,
      notification_id: mailId,
      webhook_deliveries_queued: deliveries,
    },
  };
};

/** Waits until the mail has ended, as every write waits for its outcome. */
const waitForMail = ({ db, until }: Deps, mailId: string, waitMs: number) =>
  until(mailId, waitMs, async () => {
    const row = await getMailStatus(db, mailId);
    return { row, ended: row !== 'queued' };
  });
