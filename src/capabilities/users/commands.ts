import { sql } from 'slonik';
import { z } from 'zod';
import { type Batch, takingAll } from '../../db/batches.ts';
import type { Db } from '../../db/pool.ts';
import { deleteOld } from '../../db/retention.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type AppId, digest, idSchema, newCode, newId, newIntentId, newSecret, type UserId } from '../../kernel/ids.ts';
import { appLane, hashPassword } from '../../kernel/passwords.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';
import type { OpenedSession } from '../login/check.ts';
import { newMail } from '../mail/commands.ts';
import { findSalt } from './queries.ts';
import { type From, newSession } from './sessions/commands.ts';

const CODE_ATTEMPTS = 25;
const CODE_ATTEMPTS_OF_A_NETWORK = 5;
const CODE_LIVES_S = 600;
const SALT_BYTES = 16; // RFC 9106, section 3.1
const RESET_LIVES_S = 3_600;
const NOTIFIED_WITHIN_S = 86_400;

/** The app and the normalised address of a sign-up, verification or reset. */
export type Account = { appId: AppId; email: string };

/** The context that a one-time code's HMAC is bound to. */
const codeSealContext = ({ appId, email }: Account): SealContext => ({
  table: 'one_time_codes',
  row: `${appId}:${email}`,
  column: 'hmac',
});

/** The salt of a new user: equal for concurrent sign-ups of one address. Without the keyring nobody can compute it. */
const newSalt = (sealer: Sealer, { appId, email }: Account) =>
  sealer.hmacs('', { table: 'users', row: `${appId}:${email}`, column: 'password_salt' })[0].subarray(0, SALT_BYTES);

/** The password of a sign-up, hashed with the salt of its address. */
type Hashed = { salt: Buffer; hash: string };

/** Hashes a password for the sign-up of an address. Costs the same for known and unknown addresses. */
export async function hashForSignUp(db: Db, sealer: Sealer, account: Account, password: string): Promise<Hashed> {
  const salt = (await findSalt(db, account.appId, account.email)) ?? newSalt(sealer, account);
  return { salt, hash: await hashPassword(password, appLane(account.appId), salt) };
}

/** Nothing was written: since the password was hashed, the address was signed up under another key of the ring, or was freed. */
export class AddressChanged extends Error {}

/**
 * Signs up a user, or finds the user of that address and changes nothing. Result and cost are the same either way. A
 * new or unverified user is mailed a code; a verified user is mailed a notice of the attempt. The password counts once
 * the address is verified, unless another sign-up of the address gave a different one. Throws AddressChanged.
 */
export async function signUp(db: Db, sealer: Sealer, account: Account, { salt, hash }: Hashed): Promise<string> {
  const code = newCode();
  const mail = newMail(sealer, code);
  const [hmac] = sealer.hmacs(code, codeSealContext(account));
  const userId = await db.oneFirst(sql.prepared('sign_up', z.object({ user_id: idSchema.user.nullable() }))`
    select sign_up(
      ${account.appId}, ${account.email}, ${newId('usr')}, ${sql.binary(salt)}, ${hash}, ${sql.binary(hmac)}, ${CODE_ATTEMPTS},
      ${CODE_LIVES_S}, ${mail.id}, ${sql.binary(mail.sealed)}
    ) as user_id`);
  if (userId === null) throw new AddressChanged();
  return userId;
}

/**
 * Mails an unverified user a new code, which replaces the earlier one. For any other address it does the same work
 * without effect.
 */
export async function renewCode(db: Db, sealer: Sealer, account: Account): Promise<void> {
  const code = newCode();
  const mail = newMail(sealer, code);
  const [hmac] = sealer.hmacs(code, codeSealContext(account));
  await db.query(sql.prepared('renew_code', z.object({}))`
    select renew_code(
      ${account.appId}, ${account.email}, ${sql.binary(hmac)}, ${CODE_ATTEMPTS}, ${CODE_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}
    )`);
}

/**
 * Counts one attempt at a code, and compares it. Throws V2_OTP_INVALID for a wrong code and V2_OTP_EXPIRED for an expired code or
 * after five wrong ones from the caller's network, or 25 from all.
 */
export async function tryCode(
  db: Db,
  sealer: Sealer,
  account: Account,
  code: string,
  { network }: From,
): Promise<void> {
  const verdict = await db.oneFirst(sql.prepared('try_code', z.object({ verdict: z.string() }))`
    select try_code(
      ${account.appId}, ${account.email}, ${hmacsOf(sealer, account, code)}, ${CODE_ATTEMPTS_OF_A_NETWORK},
      ${sql.binary(digest(network))}
    ) as verdict`);
  if (verdict !== 'verified') throw new ApiError(verdict === 'wrong' ? 'V2_OTP_INVALID' : 'V2_OTP_EXPIRED');
}

const verifiedRow = z.object({ user_id: idSchema.user, expires_at: z.string() });

/** Verifies an address by a code that `tryCode` has let pass, and opens a session. A code passes once: else throws V2_OTP_EXPIRED. */
export async function verifyEmail(
  db: Db,
  sealer: Sealer,
  account: Account,
  code: string,
  from: From,
): Promise<OpenedSession & { userId: UserId }> {
  const { token, members } = newSession(from);
  const verified = await db.maybeOne(sql.prepared('verify_by_code', verifiedRow)`
    select v.user_id, v.expires_at
    from verify_by_code(${account.appId}, ${account.email}, ${hmacsOf(sealer, account, code)}, ${members}) v`);
  if (!verified) throw new ApiError('V2_OTP_EXPIRED');
  return { userId: verified.user_id, token, expiresAt: verified.expires_at };
}

const hmacsOf = (sealer: Sealer, account: Account, code: string) =>
  sql.array(sealer.hmacs(code, codeSealContext(account)), 'bytea');

/**
 * Mails a user a reset token, which replaces the earlier one; a user who is not verified only if `mailsUnverified`. For
 * an unknown address it does the same work without effect.
 */
export async function requestReset(db: Db, sealer: Sealer, account: Account, mailsUnverified: boolean): Promise<void> {
  const token = newSecret('rst');
  const mail = newMail(sealer, token);
  await db.query(sql.prepared('request_reset', z.object({}))`
    select request_reset(
      ${account.appId}, ${account.email}, ${sql.binary(digest(token))}, ${RESET_LIVES_S},
      ${mail.id}, ${sql.binary(mail.sealed)}, ${mailsUnverified}
    )`);
}

/** The hash of a new password for an address. The same cost for an unknown one. */
export async function hashForReset(db: Db, { appId, email }: Account, password: string): Promise<string> {
  const salt = (await findSalt(db, appId, email)) ?? undefined;
  return hashPassword(password, appLane(appId), salt);
}

/**
 * Sets a new password for the holder of the mailed token. Ends every session and a pending authenticator, and revokes
 * all trader keys, or those created since the last proof of the password. Returns the user's id. Throws V2_OTP_INVALID
 * for any other token, whether the address is known or not.
 */
export async function confirmReset(
  db: Db,
  account: Account,
  { token, hash, allKeys }: { token: string; hash: string; allKeys: boolean },
  { network }: From,
): Promise<string> {
  const userId = await db.oneFirst(sql.prepared('confirm_reset', z.object({ user_id: idSchema.user.nullable() }))`
    select confirm_reset(
      ${account.appId}, ${account.email}, ${sql.binary(digest(token))}, ${hash}, ${sql.binary(digest(network))},
      ${newIntentId()}, ${NOTIFIED_WITHIN_S}, ${allKeys}
    ) as user_id`);
  if (userId === null) throw new ApiError('V2_OTP_INVALID');
  return userId;
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/**
 * What is deleted once it has expired, by table. Sign-ups are deleted after 7 days, and a user who was never verified with the last of them, so that
 * nobody can block an address by signing up with it first.
 */
export function expirations(db: Db): Record<string, Batch> {
  const expired = sql.fragment`t.expires_at`;
  const unclaimed = sql.fragment`t.verified_at is null and not exists (select from sign_ups s where s.user_id = t.id)`;
  return {
    throttles: deleteOld(db, 'throttles', { since: sql.fragment`t.forget_at`, ageS: 0 }),
    paces: deleteOld(db, 'paces', { since: sql.fragment`coalesce(t.taken[1], '-infinity')`, ageS: HOUR_S }),
    app_tokens: deleteOld(db, 'app_tokens', { since: expired, ageS: DAY_S }),
    stream_tickets: deleteOld(db, 'stream_tickets', { since: expired, ageS: 0 }),
    one_time_codes: deleteOld(db, 'one_time_codes', { since: expired, ageS: DAY_S }),
    login_codes: deleteOld(db, 'login_codes', { since: expired, ageS: DAY_S }),
    password_resets: deleteOld(db, 'password_resets', { since: expired, ageS: DAY_S }),
    known_addresses: deleteOld(db, 'known_addresses', { since: sql.fragment`t.seen_at`, ageS: 180 * DAY_S }),
    webhook_secrets: deleteOld(db, 'webhook_secrets', { since: expired, ageS: DAY_S }),
    sign_ups: takingAll((most) =>
      db.oneFirst(sql.type(z.object({ count: z.number() }))`select forget_sign_ups(${most}) count`),
    ),
    users: deleteOld(db, 'users', { since: sql.fragment`t.created_at`, ageS: 7 * DAY_S, only: unclaimed }),
  };
}
