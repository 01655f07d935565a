import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { digest } from '../kernel/ids.ts';
import type { Admin } from '../kernel/principal.ts';
import { loginRow } from '../login/queries.ts';

/**
 * Finds the operator of a session token and resets the session's idle time. Null for an unknown, ended or idle session.
 */
export type AdminFinder = (token: string) => Promise<Admin | null>;

const IDLE_S = 30 * 60;
const NOTED_EVERY_S = 30; // precision of the idle time; a session in use writes no more often

const sessionRow = z.object({
  admin_id: z.string(),
  session_id: z.string(),
  email: z.string(),
  is_superadmin: z.boolean(),
  is_enrolled: z.boolean(),
});

/** Creates the process's finder of operators. */
export function adminFinder(db: Db): AdminFinder {
  return async (token) => {
    const row = await db.maybeOne(sql.prepared('find_admin_session', sessionRow)`
      with found as (
        select s.id, s.seen_at, a.id as admin_id, a.email, a.is_superadmin, a.totp_enrolled_at is not null as is_enrolled
        from admin_sessions s
        join admins a on a.id = s.admin_id
        where s.digest = ${sql.binary(digest(token))}
          and s.revoked_at is null
          and s.expires_at > now()
          and s.seen_at > now() - make_interval(secs => ${IDLE_S})
          and a.disabled_at is null
      ), noted as (
        update admin_sessions s
        set seen_at = now()
        from found f
        where s.id = f.id and f.seen_at < now() - make_interval(secs => ${NOTED_EVERY_S})
      )
      select f.id as session_id, f.admin_id, f.email, f.is_superadmin, f.is_enrolled
      from found f`);
    return row && adminOfRow(row);
  };
}

const adminOfRow = (row: z.infer<typeof sessionRow>): Admin => ({
  kind: 'admin',
  owner: '',
  adminId: row.admin_id,
  sessionId: row.session_id,
  email: row.email,
  isSuperadmin: row.is_superadmin,
  isEnrolled: row.is_enrolled,
});

const adminRow = loginRow.extend({ email: z.string().nullable(), totp_releases: z.number().nullable() });

/** What a login needs of the operator with that address. The members are null if there is none. */
export type AdminRow = z.infer<typeof adminRow>;

/** Reads an operator for a login. It always returns one row, so that unknown addresses cost the same. */
export const readAdmin = (db: Db, email: string, address: Buffer): Promise<AdminRow> =>
  db.one(sql.prepared('read_admin', adminRow)`
    select a.id, a.email, a.totp_releases, a.password_hash, '{}'::text[] as sign_up_hashes, a.totp_seed, a.totp_enrolled_at is not null as has_totp,
      exists (
        select from known_addresses k
        where k.account = a.id and k.address = ${sql.binary(address)}
      ) as is_known_address,
      extract(epoch from now())::double precision as now_s
    from (select 1) as always
    left join admins a on a.email = ${email} and a.disabled_at is null`);

const seedRow = z.object({ totp_seed: z.instanceof(Buffer), now_s: z.number() });

/** The sealed seed that waits for its first code, and the database's time; null if there is none. */
export const findPendingSeed = (db: Db, adminId: string): Promise<z.infer<typeof seedRow> | null> =>
  db.maybeOne(sql.prepared('find_pending_admin_seed', seedRow)`
    select a.totp_seed, extract(epoch from now())::double precision as now_s
    from admins a
    where a.id = ${adminId} and a.totp_seed is not null and a.totp_enrolled_at is null`);

/** Whether any operator exists. */
export const hasAdmins = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from admins`);
