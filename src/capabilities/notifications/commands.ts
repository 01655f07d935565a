import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { type AppId, newIntentId } from '../../kernel/ids.ts';
import { emitting } from '../events/commands.ts';
import { postMailOfApp } from '../mail/commands.ts';
import type { Addressee } from './queries.ts';
import { fanoutData, type Notification, oneLine } from './rules.ts';

const MAIL_LIVES_S = 24 * 3_600; // a notification is of little use after a day

/** What a notification has queued: a mail, or null for none, and a number of webhook deliveries. */
export type QueuedNotification = { mailId: string | null; deliveries: number };

/**
 * Queues the mail and the deliveries of a notification, both or neither. Mail goes to `addressee`, a user of the app;
 * null sends no mail.
 */
export async function sendNotification(
  db: Db,
  app: AppId,
  addressee: Pick<Addressee, 'email' | 'user_id'> | null,
  wanted: Notification,
): Promise<QueuedNotification> {
  return db.transaction(async (tx) => {
    const mail = addressee && { id: newIntentId(), app, userId: addressee.user_id };
    if (mail && addressee)
      await tx.query(sql.type(z.object({}))`select ${postMailOfApp(letterOf(addressee.email, wanted), mail)}`);
    const deliveries = wanted.fanout_event === undefined ? 0 : await fanOut(tx, app, wanted.fanout_event, wanted);
    return { mailId: mail?.id ?? null, deliveries };
  });
}

const fanOut = (tx: Pick<Db, 'oneFirst'>, app: AppId, event: string, wanted: Notification): Promise<number> =>
  tx.oneFirst(sql.type(z.object({ queued: z.number() }))`
    select ${emitting(app, event, fanoutData(wanted))} queued`);

const letterOf = (recipient: string, { subject, html, text = '' }: Notification) => ({
  template: 'notification',
  recipient,
  data: { subject: oneLine(subject), html, text },
  livesS: MAIL_LIVES_S,
});
