import type { Mailer } from '../../adapters/mail/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { noteWork } from '../../kernel/work.ts';
import { mailSealContext } from './commands.ts';
import { findQueuedMail } from './queries.ts';
import { endMail, holdMail, recordMail } from './store.ts';
import { renderMail } from './templates.ts';

/** What sending a mail needs. */
export type SendDeps = { db: Db; mailer: Pick<Mailer, 'send'>; sealer: Sealer };

/**
 * Sends one mail and records the result, which schedules the next attempt after a failure. A mail that has ended or
 * expired is not sent; one in the name of a disabled app or partner waits.
 */
export async function sendMail(mailId: string, { db, mailer, sealer }: SendDeps): Promise<void> {
  const mail = await findQueuedMail(db, mailId);
  if (!mail) return;
  if (mail.tenant) noteWork({ tenant: mail.tenant });
  if (mail.is_late) return endMail(db, mail.id, 'expired', 'late');
  if (mail.is_held) return holdMail(db, mail.id);
  if (mail.template === 'none') return endMail(db, mail.id, 'sent', null);
  const secret = mail.secret ? sealer.open(mail.secret, mailSealContext(mail.id)).toString() : '';
  const rendered = renderMail(mail.template, mail.data, secret);
  await recordMail(db, mail, await mailer.send({ id: mail.id, to: mail.recipient, isBulk: mail.is_bulk, ...rendered }));
}
