import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { User } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import type { Place, Sealer } from '../../kernel/seal.ts';
import { newSeed, otpauthUri, stepOf } from '../../kernel/totp.ts';
import { getSeed } from './queries.ts';

/** Where the TOTP seed of a user lies. */
export const userSeed = (userId: string): Place => ({ table: 'users', row: userId, column: 'totp_seed' });

/** Makes a new seed that waits for its first code. Refuses while TOTP is on. */
export async function enrollTotp(db: Db, sealer: Sealer, user: User): Promise<{ secret: string; otpauth_uri: string }> {
  const seed = newSeed();
  const { rowCount } = await db.query(sql.prepared('enroll_user_totp', z.object({}))`
    update users u
    set totp_seed = ${sql.binary(sealer.seal(seed, userSeed(user.userId)))}
    where u.id = ${user.userId} and u.totp_enabled_at is null`);
  if (rowCount === 0) throw new Refusal('V2_MFA_ALREADY_ENABLED');
  return { secret: seed, otpauth_uri: otpauthUri(seed, user.email) };
}

/** Turns TOTP on by its first code, which is used up by that. Refuses a wrong code and a confirmation without enrollment. */
export async function confirmTotp(db: Db, sealer: Sealer, user: User, code: string): Promise<void> {
  const { totp_seed, is_enabled, now_s } = await getSeed(db, user.userId);
  if (is_enabled) throw new Refusal('V2_MFA_ALREADY_ENABLED');
  if (!totp_seed) throw new Refusal('V2_MFA_NOT_STARTED');
  const step = stepOf(sealer.open(totp_seed, userSeed(user.userId)).toString(), code, now_s);
  if (step === null) throw wrongCode();
  const { rowCount } = await db.query(sql.prepared('confirm_user_totp', z.object({}))`
    update users u
    set totp_enabled_at = now(), totp_step = ${step}
    where u.id = ${user.userId} and u.totp_enabled_at is null and u.totp_seed = ${sql.binary(totp_seed)}`);
  if (rowCount === 0) throw wrongCode();
}

/** Turns TOTP off by one more code, and forgets the seed. Refuses wrong and used codes. */
export async function disableTotp(db: Db, sealer: Sealer, user: User, code: string): Promise<void> {
  const { totp_seed, is_enabled, now_s } = await getSeed(db, user.userId);
  if (!totp_seed || !is_enabled) throw new Refusal('V2_MFA_NOT_STARTED');
  const step = stepOf(sealer.open(totp_seed, userSeed(user.userId)).toString(), code, now_s);
  if (step === null) throw wrongCode();
  const { rowCount } = await db.query(sql.prepared('disable_user_totp', z.object({}))`
    update users u
    set totp_seed = null, totp_step = null, totp_enabled_at = null
    where u.id = ${user.userId} and u.totp_seed = ${sql.binary(totp_seed)} and u.totp_step < ${step}`);
  if (rowCount === 0) throw wrongCode();
}

const wrongCode = () => new Refusal('V2_MFA_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });
