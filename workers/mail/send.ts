import type { Task } from '../../src/intents/task.ts';
import { mailSecret } from '../../src/mail/intents.ts';
import { endMail, recordMail } from '../../src/mail/outcomes.ts';
import { findQueuedMail } from '../../src/mail/queries.ts';
import { renderMail } from '../../src/mail/templates.ts';

/** Sends one mail and records what the server said; plans the next try itself. */
const send: Task<{ mail_id: string }> = async ({ mail_id }, { db, mailer, sealer }) => {
  const mail = await findQueuedMail(db, mail_id);
  if (!mail) return;
  if (mail.is_late) return endMail(db, mail.id, 'expired', 'late');
  if (mail.template === 'none') return endMail(db, mail.id, 'sent', null);
  const secret = mail.secret ? sealer.open(mail.secret, mailSecret(mail.id)).toString() : '';
  const letter = renderMail(mail.template, mail.data, secret);
  await recordMail(db, mail, await mailer.send({ id: mail.id, to: mail.recipient, ...letter }));
};

export default send;
