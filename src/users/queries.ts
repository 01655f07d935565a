import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type AppId, digest, type UserId } from '../kernel/ids.ts';
import type { App, User } from '../kernel/principal.ts';
import type { SealContext } from '../kernel/seal.ts';
import { type LoginRow, loginRow } from '../login/queries.ts';

/**
 * Finds the user of an app's session token and resets the session's idle time. Null for an unknown, ended or idle
 * session and for one of another app.
 */
export type UserFinder = (token: string, app: App) => Promise<User | null>;

const IDLE_S = 7 * 86_400;
const NOTED_EVERY_S = 60; // precision of the idle time; a session in use writes no more often

const PROVEN_FOR_S = 5 * 60;

const sessionRow = z.object({
  session_id: z.string(),
  user_id: z.string(),
  email: z.string(),
  lacks_proof: z.boolean(),
});

/** Creates the process's finder of users. */
export function userFinder(db: Db): UserFinder {
  return async (token, app) => {
    const row = await db.maybeOne(sql.prepared('find_user_session', sessionRow)`
      with found as (
        select s.id, s.seen_at, u.id as user_id, u.email,
          a.require_reauthentication
            and coalesce(s.proven_at < now() - make_interval(secs => ${PROVEN_FOR_S}), true) as lacks_proof
        from user_sessions s
        join users u on u.id = s.user_id
        join apps a on a.id = u.app_id
        where s.digest = ${sql.binary(digest(token))}
          and u.app_id = ${app.owner}
          and s.revoked_at is null
          and s.expires_at > now()
          and s.seen_at > now() - make_interval(secs => ${IDLE_S})
      ), noted as (
        update user_sessions s
        set seen_at = now()
        from found f
        where s.id = f.id and f.seen_at < now() - make_interval(secs => ${NOTED_EVERY_S})
      )
      select f.id as session_id, f.user_id, f.email, f.lacks_proof
      from found f`);
    return row && userOfRow(row, app);
  };
}

const userOfRow = (row: z.infer<typeof sessionRow>, app: App): User => ({
  kind: 'user',
  owner: app.owner,
  app,
  userId: row.user_id,
  sessionId: row.session_id,
  email: row.email,
  lacksProof: row.lacks_proof,
});

/** Reads a user for a log-in. One row either way, so that unknown addresses cost the same. */
export const readLogin = (db: Db, appId: AppId, email: string, address: Buffer): Promise<LoginRow> =>
  db.one(sql.prepared('read_login', loginRow)`
    select u.id, u.password_hash, array(select s.password_hash from sign_ups s where s.user_id = u.id) as sign_up_hashes,
      u.totp_seed,
      u.totp_enabled_at is not null as has_totp,
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

/** Where the TOTP seed of a user is sealed. */
export const userSealContext = (userId: UserId): SealContext => ({ table: 'users', row: userId, column: 'totp_seed' });
