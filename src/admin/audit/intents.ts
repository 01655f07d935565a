import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

/** Who acts, from where, by which request: what every entry of the audit table holds. */
export type Actor = { adminId: string | null; address: string; requestId: string };

/** What was done, and to what. `detail` holds no secret. */
export type Act = { actor: Actor; action: string; detail?: Record<string, unknown> };

/**
 * A fragment that notes an act, once for each row of `changed` (a name of the same statement, with a column `subject`): the change
 * and its entry come true together or not at all.
 */
export const noting = ({ actor, action, detail = {} }: Act, changed: string): FragmentSqlToken => sql.fragment`
  insert into admin_audit (admin_id, action, subject, detail, address, request_id)
  select ${actor.adminId}, ${action}, c.subject, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
  from ${sql.identifier([changed])} c`;

/** Notes an act that changes no row of its own, such as a refused log-in. */
export async function note(db: Db, { actor, action, detail = {} }: Act, subject: string | null): Promise<void> {
  await db.query(sql.prepared('note_act', z.object({}))`
    insert into admin_audit (admin_id, action, subject, detail, address, request_id)
    values (
      ${actor.adminId}, ${action}, ${subject}, ${JSON.stringify(detail)}::jsonb, ${actor.address}, ${actor.requestId}
    )`);
}
