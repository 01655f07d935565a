import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { digest, newId, newSecret } from '../../kernel/ids.ts';
import type { Admin } from '../../kernel/principal.ts';
import type { CheckedLogin } from '../../login/commands.ts';
import { type Act, type Actor, auditEntry } from '../audit/commands.ts';

const SESSION_LIVES_S = 12 * 3_600;

/** A session just opened. The token is shown once. */
export type OpenedSession = { token: string; expiresAt: string };

/**
 * Opens a session for an operator whose password is correct, with the time step of the code. Null if the code was used
 * before: of several concurrent logins with one code exactly one succeeds.
 */
export async function openAdminSession(
  db: Db,
  checked: CheckedLogin,
  act: Act,
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
    ), noted as (${auditEntry(act, 'opened')}
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
    with closed as (
      update admin_sessions s
      set revoked_at = now()
      where s.id = ${admin.sessionId} and s.revoked_at is null
      returning s.admin_id as subject
    )
    ${auditEntry({ actor, action: 'admin.logout' }, 'closed')}`);
}
