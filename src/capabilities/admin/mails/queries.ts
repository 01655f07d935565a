import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { isUuid } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const mailRow = z.custom<components['schemas']['FailedMail']>();

/** A mail that was given up, in the form shown to operators. */
export type FailedMail = z.infer<typeof mailRow>;

/** Mails that were given up, newest first, after `cursor`. */
export const listFailed = (db: Db, { cursor, limit }: PageRequest): Promise<readonly FailedMail[]> =>
  db.any(sql.type(mailRow)`
    select m.mail_id, m.template, m.app_id, m.user_id, m.recipient, m.state, m.reason, m.attempts, m.created_at, m.ended_at
    from ops.failed_mails m
    where ${cursor}::uuid is null or m.mail_id < ${cursor}::uuid
    order by m.mail_id desc
    limit ${limit}`);

/** Whether a mail that was given up has this id. */
export const isMail = async (db: Db, id: string): Promise<boolean> =>
  isUuid(id) && db.exists(sql.unsafe`select from ops.failed_mails m where m.mail_id = ${id}::uuid`);
