import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { AppId, UserId } from '../../kernel/ids.ts';
import type { SealContext } from '../../kernel/seal.ts';
import { loginRow } from '../login/row.ts';

const userLoginRow = loginRow.extend({ lacks_password: z.boolean() });

/**
 * Reads a user for a log-in. One row either way, so that unknown addresses cost the same. `lacks_password`: verified, but
 * no password counts.
 */
export const readLogin = (
  db: Db,
  appId: AppId,
  email: string,
  address: Buffer,
): Promise<z.infer<typeof userLoginRow>> =>
  db.one(sql.prepared('read_login', userLoginRow)`
    select u.id, u.password_hash, array(select s.password_hash from sign_ups s where s.user_id = u.id) as sign_up_hashes,
      u.totp_seed,
      u.totp_enabled_at is not null as has_totp,
      u.verified_at is not null and u.password_hash is null as lacks_password,
      exists (
        select from known_addresses k
        where k.account = u.id and k.address = ${sql.binary(address)}
      ) as is_known_address,
      extract(epoch from now())::double precision as now_s
    from (select 1) as always
    left join users u on u.app_id = ${appId} and u.email = ${email}`);

/** Whether a user has logged in from a network; `address` is its digest. */
export const isKnownAddress = (db: Db, userId: UserId, address: Buffer): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from known_addresses k where k.account = ${userId} and k.address = ${sql.binary(address)}`);

/** The salt of the hashes of an address; null if the app has no user with it. */
export const findSalt = (db: Db, appId: AppId, email: string): Promise<Buffer | null> =>
  db.maybeOneFirst(sql.prepared('find_password_salt', z.object({ password_salt: z.instanceof(Buffer) }))`
    select u.password_salt
    from users u
    where u.app_id = ${appId} and u.email = ${email}`);

/** Whether a reset token, of which this is the digest, is the valid one of an address. */
export const isResetToken = (
  db: Db,
  { appId, email }: { appId: AppId; email: string },
  token: Buffer,
): Promise<boolean> =>
  db.exists(sql.prepared('is_reset_token', z.object({}))`
    select
    from password_resets r
    where r.app_id = ${appId} and r.email = ${email} and r.digest = ${sql.binary(token)}
      and r.user_id is not null and r.used_at is null and r.expires_at > now()`);

/** Where the TOTP seed of a user is sealed. */
export const userSealContext = (userId: UserId): SealContext => ({ table: 'users', row: userId, column: 'totp_seed' });
