import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { emitting } from '../events/commands.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { ApiError } from '../kernel/errors.ts';
import { postMail } from '../mail/commands.ts';
import { fanoutData, isEmpty, type Notification, oneLine } from './rules.ts';

const MAIL_LIVES_S = 24 * 3_600; // a notification is of little use after a day

const sent = z.object({ email_sent: z.boolean(), webhook_deliveries_queued: z.number() });

/** What a notification has queued: whether a mail, and the number of webhook deliveries. */
export type NotificationResult = z.infer<typeof sent>;

const addressed = z.object({ email: z.string().nullable(), is_user: z.boolean() });

/** The stored address of the app's user with this email, and whether the app has a user with this id. */
const addressees = (db: Pick<Db, 'one'>, app: string, { email, user_id }: Notification) =>
  db.one(sql.prepared('find_addressees', addressed)`
    select
      (select u.email from users u where u.app_id = ${app} and u.email = ${email === undefined ? null : normalisedEmail(email)}) as email,
      exists (select from users u where u.app_id = ${app} and u.id = ${user_id ?? null}) as is_user`);

/**
 * Queues the mail and the deliveries of a notification, both or neither. Mail goes to the address stored with the user;
 * a user id alone sends no mail. Throws V2_NOTIFY_EMPTY, and V2_NOTIFY_RECIPIENT_FORBIDDEN for recipients who are not
 * users of the app.
 */
export async function sendNotification(db: Db, app: string, wanted: Notification): Promise<NotificationResult> {
  if (isEmpty(wanted)) throw new ApiError('V2_NOTIFY_EMPTY');
  return db.transaction(async (tx) => {
    const { email, is_user } = await addressees(tx, app, wanted);
    const isForeign = (wanted.email !== undefined && email === null) || (wanted.user_id !== undefined && !is_user);
    if (isForeign) throw new ApiError('V2_NOTIFY_RECIPIENT_FORBIDDEN');
    if (email !== null) await tx.query(sql.type(z.object({}))`select ${mailFragment(email, wanted)}`);
    if (wanted.fanout_event === undefined) return { email_sent: email !== null, webhook_deliveries_queued: 0 };
    const queued = await tx.oneFirst(sql.type(z.object({ queued: z.number() }))`
      select ${emitting(app, wanted.fanout_event, fanoutData(wanted))} queued`);
    return { email_sent: email !== null, webhook_deliveries_queued: queued };
  });
}

const mailFragment = (recipient: string, { subject, html, text = '' }: Notification) =>
  postMail({
    template: 'notification',
    recipient,
    data: { subject: oneLine(subject), html, text },
    livesS: MAIL_LIVES_S,
  });
