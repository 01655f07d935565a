import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { digest, newCode, newIntentId, type UserId } from '../../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../../kernel/seal.ts';
import { newMail } from '../../mail/commands.ts';

const CODE_ATTEMPTS = 5;
const CODE_LIVES_S = 600;
const NOTIFIED_WITHIN_S = 86_400;

/** The user and the networks that a code is for. */
type For = { userId: UserId; scope: string };

const codeSealContext = ({ userId, scope }: For): SealContext => ({
  table: 'login_codes',
  row: `${userId}:${scope}`,
  column: 'hmac',
});

/** Mails the user a new code, which replaces the earlier one for these networks. */
export async function renewLoginCode(db: Db, sealer: Sealer, to: For): Promise<void> {
  const code = newCode();
  const mail = newMail(sealer, code);
  const [hmac] = sealer.hmacs(code, codeSealContext(to));
  await db.query(sql.prepared('renew_login_code', z.object({}))`
    select renew_login_code(
      ${to.userId}, ${sql.binary(digest(to.scope))}, ${sql.binary(hmac)}, ${CODE_ATTEMPTS}, ${CODE_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}
    )`);
}

/** Whether a code is the mailed one. Counts the attempt: a code allows 5 within 10 minutes. */
export const tryLoginCode = (db: Db, sealer: Sealer, to: For, code: string): Promise<boolean> =>
  db.oneFirst(sql.prepared('try_login_code', z.object({ is_right: z.boolean() }))`
    select try_login_code(
      ${to.userId}, ${sql.binary(digest(to.scope))}, ${sql.array(sealer.hmacs(code, codeSealContext(to)), 'bytea')}
    ) as is_right`);

/** Mails the user that someone with the password used all attempts of a day. */
export async function mailGuessed(db: Db, userId: UserId): Promise<void> {
  await db.query(sql.prepared('mail_totp_guessed', z.object({}))`
    select mail_user(${userId}, 'totp_guessed', ${newIntentId()}, '{}', ${NOTIFIED_WITHIN_S})`);
}
