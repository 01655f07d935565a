import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

/** The operator, address and request of every audit entry. */
export type Actor = { adminId: string | null; address: string; requestId: string };

/** An action to record. `detail` contains no secret. */
export type Act = { actor: Actor; action: string; detail?: Record<string, unknown> };

/**
 * A fragment that records an action once per row of `changed`. `changed` names a CTE of the same statement with a
 * column `subject`. The change and its audit entry are committed together.
 */
export const auditEntry = ({ actor, action, detail = {} }: Act, changed: string): FragmentSqlToken => sql.fragment`
  insert into admin_audit (admin_id, action, subject, detail, address, request_id)
  select ${actor.adminId}, ${action}, c.subject, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
  from ${sql.identifier([changed])} c`;

/** Records an action that changes no row itself, such as a rejected login. */
export async function note(db: Db, { actor, action, detail = {} }: Act, subject: string | null): Promise<void> {
  await db.query(sql.prepared('note_act', z.object({}))`
    insert into admin_audit (admin_id, action, subject, detail, address, request_id)
    values (
      ${actor.adminId}, ${action}, ${subject}, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
    )`);
}
