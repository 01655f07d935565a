import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { emitting } from '../events/intents.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { Refusal } from '../kernel/refusals.ts';
import { postingMail } from '../mail/intents.ts';
import { fanoutData, isEmpty, type Notification, oneLine } from './rules.ts';

const MAIL_LIVES_S = 24 * 3_600; // what an app tells its users is of little use later

const sent = z.object({ email_sent: z.boolean(), webhook_deliveries_queued: z.number() });

/** What a notification caused: a mail that will be sent, and deliveries that were queued. */
export type NotificationResult = z.infer<typeof sent>;

const addressed = z.object({ email: z.string().nullable(), is_user: z.boolean() });

/** Who is meant, among the app's own users: the address stored on the user, and whether the id is one of them. */
const addressees = (db: Pick<Db, 'one'>, app: string, { email, user_id }: Notification) =>
  db.one(sql.prepared('find_addressees', addressed)`
    select
      (select u.email from users u where u.app_id = ${app} and u.email = ${email === undefined ? null : normalisedEmail(email)}) as email,
      exists (select from users u where u.app_id = ${app} and u.id = ${user_id ?? null}) as is_user`);

/**
 * Queues the mail and the deliveries of a notification, both or neither. Mail goes to the address stored on the user; a user
 * id alone sends none. Refuses recipients who are not the app's own users.
 */
export async function sendNotification(db: Db, app: string, asked: Notification): Promise<NotificationResult> {
  if (isEmpty(asked)) throw new Refusal('V2_NOTIFY_EMPTY');
  return db.transaction(async (tx) => {
    const { email, is_user } = await addressees(tx, app, asked);
    const isForeign = (asked.email !== undefined && email === null) || (asked.user_id !== undefined && !is_user);
    if (isForeign) throw new Refusal('V2_NOTIFY_RECIPIENT_FORBIDDEN');
    if (email !== null) await tx.query(sql.type(z.object({}))`select ${mailing(email, asked)}`);
    if (asked.fanout_event === undefined) return { email_sent: email !== null, webhook_deliveries_queued: 0 };
    const queued = await tx.oneFirst(sql.type(z.object({ queued: z.number() }))`
      select ${emitting(app, asked.fanout_event, fanoutData(asked))} queued`);
    return { email_sent: email !== null, webhook_deliveries_queued: queued };
  });
}

const mailing = (recipient: string, { subject, html, text = '' }: Notification) =>
  postingMail({
    template: 'notification',
    recipient,
    data: { subject: oneLine(subject), html, text },
    livesS: MAIL_LIVES_S,
  });
