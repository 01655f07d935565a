import { type FragmentSqlToken, sql } from 'slonik';
import { type AppId, newIntentId, type UserId } from '../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';

/** The seal context of a mail's secret. */
export const mailSealContext = (mailId: string): SealContext => ({ table: 'mails', row: mailId, column: 'secret' });

/** A mail's id and its secret, sealed for that id: arguments of the SQL functions that post a mail. */
export type NewMail = { id: string; sealed: Buffer };

/** Creates a mail's id and seals its secret (a code, a token or a link) for that id. */
export function newMail(sealer: Sealer, secret: string): NewMail {
  const id = newIntentId();
  return { id, sealed: sealer.seal(secret, mailSealContext(id)) };
}

type Posted = {
  template: string;
  recipient: string;
  data: Record<string, string>;
  livesS: number;
  mail?: NewMail;
};

/** The id of a mail, the app that is notified if the mail is given up, and the user that it is addressed to. */
export type MailOfApp = { id: string; app: AppId; userId: UserId };

/**
 * A fragment that queues a mail of this service in the transaction of its statement. After `livesS` seconds the mail is no longer sent. Mails to
 * users go through `mail_user` instead, because they wait while their app is disabled.
 */
export const postMail = ({ template, recipient, data, livesS, mail }: Posted): FragmentSqlToken =>
  sql.fragment`post_mail(
    ${mail?.id ?? newIntentId()}, ${template}, ${recipient}, ${JSON.stringify(data)}::jsonb,
    ${mail ? sql.binary(mail.sealed) : null}, ${livesS}
  )`;

/** As `postMail`, without a secret, for a mail whose end an app is notified of. */
export const postMailOfApp = (
  { template, recipient, data, livesS }: Omit<Posted, 'mail'>,
  { id, app, userId }: MailOfApp,
): FragmentSqlToken =>
  sql.fragment`post_mail(
    ${id}, ${template}, ${recipient}, ${JSON.stringify(data)}::jsonb, null, ${livesS}, ${app}, ${userId}
  )`;
