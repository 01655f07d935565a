import { randomInt } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { digest } from '../kernel/digest.ts';
import { newId, newIntentId, newSecret } from '../kernel/ids.ts';
import { hashPassword } from '../kernel/passwords.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Place, Sealer } from '../kernel/seal.ts';
import { newMail } from '../mail/intents.ts';

const CODES = 1_000_000; // six digits
const CODE_TRIES = 5;
const CODE_LIVES_S = 600;
const RESET_LIVES_S = 3_600;
const SESSION_LIVES_S = 30 * 86_400;
const TOLD_WITHIN_S = 86_400;

/** Where someone signs up, is verified or comes back: the app and the normalised address. */
export type Account = { appId: string; email: string };

/** Where a caller comes from: the address is kept beside the session it opened, the network as a digest among those known to be good. */
export type From = { address: string; network: string };

/** What a one-time code's keyed digest is bound to. */
const codePlace = ({ appId, email }: Account): Place => ({
  table: 'one_time_codes',
  row: `${appId}:${email}`,
  column: 'mark',
});

const newCode = () => String(randomInt(CODES)).padStart(6, '0');

/**
 * Signs someone up, or finds the user of that address and changes nothing about it: the same answer and the same work either way.
 * A new or unverified user is mailed a code, a verified one is told about the attempt.
 */
export async function signUp(db: Db, sealer: Sealer, account: Account, password: string): Promise<string> {
  const hash = await hashPassword(password);
  const code = newCode();
  const mail = newMail(sealer, code);
  const [mark] = sealer.marks(code, codePlace(account));
  return db.oneFirst(sql.prepared('sign_up', z.object({ user_id: z.string() }))`
    select sign_up(
      ${account.appId}, ${account.email}, ${newId('usr')}, ${hash}, ${sql.binary(mark)}, ${CODE_TRIES}, ${CODE_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}
    ) as user_id`);
}

/** Mails an unverified user a new code; the earlier one counts no longer. For any other address the same work for nothing. */
export async function renewCode(db: Db, sealer: Sealer, account: Account): Promise<void> {
  const code = newCode();
  const mail = newMail(sealer, code);
  const [mark] = sealer.marks(code, codePlace(account));
  await db.query(sql.prepared('renew_code', z.object({}))`
    select renew_code(
      ${account.appId}, ${account.email}, ${sql.binary(mark)}, ${CODE_TRIES}, ${CODE_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}
    )`);
}

/** A session just opened. The token is shown this once. */
export type OpenedSession = { token: string; expiresAt: string };

const verifiedRow = z.object({
  verdict: z.enum(['expired', 'wrong', 'verified']),
  user_id: z.string().nullable(),
  expires_at: z.string().nullable(),
});

/**
 * Verifies an address by its code and opens a session. Refuses a wrong code, of which five are compared, and one that counts no
 * longer; the same code passes once.
 */
export async function verifyEmail(
  db: Db,
  sealer: Sealer,
  account: Account,
  code: string,
  { address, network }: From,
): Promise<OpenedSession & { userId: string }> {
  const token = newSecret('sess');
  const marks = sealer.marks(code, codePlace(account));
  const { verdict, user_id, expires_at } = await db.one(sql.prepared('verify_email', verifiedRow)`
    select v.verdict, v.user_id, v.expires_at
    from verify_email(
      ${account.appId}, ${account.email}, ${sql.array(marks, 'bytea')},
      ${newId('uss')}, ${sql.binary(digest(token))}, ${SESSION_LIVES_S}, ${address}, ${sql.binary(digest(network))}
    ) v`);
  if (verdict === 'expired') throw new Refusal('V2_OTP_EXPIRED');
  if (verdict === 'wrong' || !user_id || !expires_at) throw new Refusal('V2_OTP_INVALID');
  return { userId: user_id, token, expiresAt: expires_at };
}

/** A log-in whose password was found right: `step` is the time step of the code, where TOTP is on. */
export type Checked = { userId: string; hash: string; newHash: string | null; step: number | null };

/** Opens a session. Null where the code was used before, or the password is another by now. */
export async function logIn(db: Db, checked: Checked, { address, network }: From): Promise<OpenedSession | null> {
  const token = newSecret('sess');
  const expiresAt = await db.oneFirst(sql.prepared('log_in', z.object({ expires_at: z.string().nullable() }))`
    select log_in(
      ${checked.userId}, ${checked.hash}, ${checked.newHash}, ${checked.step}::bigint,
      ${newId('uss')}, ${sql.binary(digest(token))}, ${SESSION_LIVES_S}, ${address}, ${sql.binary(digest(network))}
    ) as expires_at`);
  return expiresAt === null ? null : { token, expiresAt };
}

/** Mails a user a reset token; the earlier one counts no longer. For an address nobody has the same work for nothing. */
export async function requestReset(db: Db, sealer: Sealer, account: Account): Promise<void> {
  const token = newSecret('rst');
  const mail = newMail(sealer, token);
  await db.query(sql.prepared('request_reset', z.object({}))`
    select request_reset(
      ${account.appId}, ${account.email}, ${sql.binary(digest(token))}, ${RESET_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}
    )`);
}

/**
 * Sets a new password for whoever holds the mailed token, and ends every session. Refuses any other token, alike whether the address
 * is known. Answers the user's id.
 */
export async function confirmReset(
  db: Db,
  account: Account,
  { token, password }: { token: string; password: string },
  { network }: From,
): Promise<string> {
  const hash = await hashPassword(password);
  const userId = await db.oneFirst(sql.prepared('confirm_reset', z.object({ user_id: z.string().nullable() }))`
    select confirm_reset(
      ${account.appId}, ${account.email}, ${sql.binary(digest(token))}, ${hash}, ${sql.binary(digest(network))},
      ${newIntentId()}, ${TOLD_WITHIN_S}
    ) as user_id`);
  if (userId === null) throw new Refusal('V2_OTP_INVALID');
  return userId;
}
