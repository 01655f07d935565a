import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { digest, newId, newSecret } from '../../../kernel/ids.ts';
import { operatorRoles } from '../../../kernel/operator-roles.ts';
import type { Admin } from '../../../kernel/principal.ts';
import type { CheckedLogin, OpenedSession } from '../../login/check.ts';
import { type Actor, auditEntry } from '../audit/commands.ts';

const SESSION_LIVES_S = 12 * 3_600;

/**
 * Opens a session for an operator whose password is correct, with the time step of the code. Null if the code was used
 * before: of several concurrent logins with one code exactly one succeeds.
 */
export async function openAdminSession(
  db: Db,
  checked: CheckedLogin,
  actor: Actor,
  from: Buffer,
): Promise<OpenedSession | null> {
  const token = newSecret('adm');
  const opened = await db.maybeOne(sql.prepared('open_admin_session', z.object({ expires_at: z.string() }))`
    with opened as (
      select ${checked.accountId}::text as subject, o.expires_at
      from open_admin_session(
        ${checked.accountId}, ${checked.hash}, ${checked.newHash}, ${checked.step}::bigint,
        ${newId('ads')}, ${sql.binary(digest(token))}, ${SESSION_LIVES_S}
      ) o
    ), noted as (${auditEntry({ actor, action: 'admin.login' }, 'opened')}
    ), known as (
      insert into known_addresses (account, address)
      select o.subject, ${sql.binary(from)}
      from opened o
      on conflict (account, address) do update set seen_at = now()
    )
    select expires_at
    from opened`);
  return opened && { token, expiresAt: opened.expires_at };
}

/** Ends the current session. */
export async function closeAdminSession(db: Db, admin: Admin, actor: Actor): Promise<void> {
  await db.query(sql.prepared('close_admin_session', z.object({}))`
    with closed as (${endAdminSessions(sql.fragment`s.id = ${admin.sessionId}`)}
      returning s.admin_id as subject
    )
    ${auditEntry({ actor, action: 'admin.logout' }, 'closed')}`);
}

/** A statement that ends the live sessions `s` of operators that meet a condition. */
export const endAdminSessions = (condition: FragmentSqlToken): FragmentSqlToken => sql.fragment`
      update admin_sessions s
      set revoked_at = now()
      where ${condition} and s.revoked_at is null`;

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
  role: z.enum(operatorRoles),
  is_enrolled: z.boolean(),
});

/** Creates the process's finder of operators. */
export function adminFinder(db: Db): AdminFinder {
  return async (token) => {
    const row = await db.maybeOne(sql.prepared('find_admin_session', sessionRow)`
      with found as (
        select s.id, s.seen_at, a.id as admin_id, a.email, a.role, a.totp_enrolled_at is not null as is_enrolled
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
      select f.id as session_id, f.admin_id, f.email, f.role, f.is_enrolled
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
  role: row.role,
  isEnrolled: row.is_enrolled,
});
