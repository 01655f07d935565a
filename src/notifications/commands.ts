import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { emitting } from '../events/commands.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { ApiError } from '../kernel/errors.ts';
import { newIntentId } from '../kernel/ids.ts';
import { postMailOfApp } from '../mail/commands.ts';
import { fanoutData, isEmpty, type Notification, oneLine } from './rules.ts';

const MAIL_LIVES_S = 24 * 3_600; // a notification is of little use after a day

/** What a notification has queued: a mail, or null for none, and a number of webhook deliveries. */
export type QueuedNotification = { mailId: string | null; deliveries: number };

const addressed = z.object({ email: z.string().nullable(), user_id: z.string().nullable(), is_user: z.boolean() });

/** The stored address of the app's user with this email, and whether the app has a user with this id. */
const addressees = (db: Pick<Db, 'one'>, app: string, { email, user_id }: Notification) =>
  db.one(sql.prepared('find_addressees', addressed)`
    select u.email, u.id as user_id, exists (select from users n where n.app_id = ${app} and n.id = ${user_id ?? null}) as is_user
    from (select 1) as always
    left join users u on u.app_id = ${app} and u.email = ${email === undefined ? null : normalisedEmail(email)}`);

/**
 * Queues the mail and the deliveries of a notification, both or neither. Mail goes to the address stored with the user;
 * a user id alone sends no mail. Throws V2_NOTIFY_EMPTY, and V2_NOTIFY_RECIPIENT_FORBIDDEN for recipients who are not
 * users of the app.
 */
export async function sendNotification(db: Db, app: string, wanted: Notification): Promise<QueuedNotification> {
  if (isEmpty(wanted)) throw new ApiError('V2_NOTIFY_EMPTY');
  return db.transaction(async (tx) => {
    const { email, user_id, is_user } = await addressees(tx, app, wanted);
    const isForeign = (wanted.email !== undefined && email === null) || (wanted.user_id !== undefined && !is_user);
    if (isForeign) throw new ApiError('V2_NOTIFY_RECIPIENT_FORBIDDEN');
    const mail = user_id === null ? null : { id: newIntentId(), app, userId: user_id };
    if (mail && email !== null)
      await tx.query(sql.type(z.object({}))`select ${postMailOfApp(letterOf(email, wanted), mail)}`);
    const deliveries = wanted.fanout_event === undefined ? 0 : await fanOut(tx, app, wanted.fanout_event, wanted);
    return { mailId: mail?.id ?? null, deliveries };
  });
}

const fanOut = (tx: Pick<Db, 'oneFirst'>, app: string, event: string, wanted: Notification): Promise<number> =>
  tx.oneFirst(sql.type(z.object({ queued: z.number() }))`
    select ${emitting(app, event, fanoutData(wanted))} queued`);

const letterOf = (recipient: string, { subject, html, text = '' }: Notification) => ({
  template: 'notification',
  recipient,
  data: { subject: oneLine(subject), html, text },
  livesS: MAIL_LIVES_S,
});
