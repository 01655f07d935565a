import { type FragmentSqlToken, sql } from 'slonik';
import { newIntentId } from '../kernel/ids.ts';
import type { Place, Sealer } from '../kernel/seal.ts';

/** Where the secret of a mail lies. */
export const mailSecret = (mailId: string): Place => ({ table: 'mails', row: mailId, column: 'secret' });

/** A mail's id and its secret, sealed for that id: what the SQL functions that post a mail take. */
export type NewMail = { id: string; sealed: Buffer };

/** Names a mail to come and seals its secret: a code, a token or a link. */
export function newMail(sealer: Sealer, secret: string): NewMail {
  const id = newIntentId();
  return { id, sealed: sealer.seal(secret, mailSecret(id)) };
}

type Posted = { template: string; recipient: string; data: Record<string, string>; livesS: number; mail?: NewMail };

/** A fragment that posts a mail in the transaction of its statement. It is not sent once `livesS` seconds have passed. */
export const postingMail = ({ template, recipient, data, livesS, mail }: Posted): FragmentSqlToken =>
  sql.fragment`post_mail(
    ${mail?.id ?? newIntentId()}, ${template}, ${recipient}, ${JSON.stringify(data)}::jsonb,
    ${mail ? sql.binary(mail.sealed) : null}, ${livesS}
  )`;
