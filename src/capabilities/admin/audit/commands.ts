import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';

/** The operator, address and request of every audit entry. */
export type Actor = { adminId: string | null; address: string; requestId: string };

/** An action to record. `detail` contains no secret. */
export type Act = { actor: Actor; action: string; why?: string; detail?: Record<string, unknown> };

/**
 * A fragment that records an action once per row of `changed`. `changed` names a CTE of the same statement with a
 * column `subject`. The change and its audit entry are committed together.
 */
export const auditEntry = ({ actor, action, detail = {} }: Act, changed: string): FragmentSqlToken => sql.fragment`
  insert into admin_audit (admin_id, action, subject, detail, address, request_id)
  select ${actor.adminId}, ${action}, c.subject, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
  from ${sql.identifier([changed])} c`;

/** Records an action that is not the same statement as its change, or that changes nothing, such as a rejected login. */
export async function note(
  db: Pick<Db, 'query'>,
  { actor, action, why, detail = {} }: Act,
  subject: string | null,
): Promise<void> {
  await db.query(sql.prepared('note_act', z.object({}))`
    insert into admin_audit (admin_id, action, subject, why, detail, address, request_id)
    values (
      ${actor.adminId}, ${action}, ${subject}, ${why ?? null}, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
    )`);
}

/** A function that records a rejected write of an operator, in a separate transaction: the write was rolled back. */
export const rejectionRecorder =
  (db: Db) =>
  ({ subject, code, ...act }: Omit<Act, 'detail'> & { subject: string | null; code: string }): Promise<void> =>
    note(db, { ...act, detail: { rejected: code } }, subject);
