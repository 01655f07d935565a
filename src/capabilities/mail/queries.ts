import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const queuedRow = z.object({
  id: z.string(),
  tenant: z.string().nullable(),
  template: z.string(),
  recipient: z.string(),
  data: z.record(z.string(), z.string()),
  secret: z.instanceof(Buffer).nullable(),
  attempts: z.number(),
  age_s: z.number(),
  is_bulk: z.boolean(),
  is_late: z.boolean(),
  is_held: z.boolean(),
  is_queued: z.boolean(),
});

/**
 * A mail that waits to be sent. `is_late`: its code or link has expired. `is_held`: it is in the name of a disabled app or partner.
 * `is_bulk`: nobody waits for it. `age_s`: since it was posted.
 */
export type QueuedMail = z.infer<typeof queuedRow>;

/**
 * A mail that has not ended; null for one that has, and for an unknown id. The query names the id alone: with a condition on waiting mails, a plan
 * cached while none waited would read all of them.
 */
export async function findQueuedMail(db: Db, mailId: string): Promise<QueuedMail | null> {
  const mail = await db.maybeOne(sql.prepared('find_queued_mail', queuedRow)`
    select m.id, m.tenant, m.template, m.recipient, m.data, m.secret, m.attempts, m.expires_at <= now() as is_late,
      extract(epoch from now() - m.created_at)::float8 as age_s, m.template = 'notification' as is_bulk,
      is_disabled(m.tenant) as is_held, m.state = 'queued' as is_queued
    from mails m
    where m.id = ${mailId}`);
  return mail?.is_queued ? mail : null;
}

const statusRow = z.object({ status: z.enum(['sent', 'queued', 'failed']) });

/** The result of a mail. `sent`: the mail server took it. */
export type MailStatus = z.infer<typeof statusRow>['status'];

/** The status of a mail. Throws for an unknown id. */
export const getMailStatus = (db: Db, mailId: string): Promise<MailStatus> =>
  db.oneFirst(sql.prepared('mail_status', statusRow)`
    select case when m.state in ('sent', 'queued') then m.state else 'failed' end as status
    from mails m
    where m.id = ${mailId}`);
