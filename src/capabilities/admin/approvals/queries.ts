import { sql } from 'slonik';
import { z } from 'zod';
import type { OperationId } from '../../../contract/document.ts';
import { requiredRoles } from '../../../contract/roles.ts';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { OperatorRole } from '../../../kernel/operator-roles.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const approvalRow = z.custom<components['schemas']['Approval']>();

const shown = sql.fragment`
  p.id as approval_id, p.operation, p.subject, p.summary, p.reason, p.role, p.requested_by, ops.name_of(p.requested_by) as requested_by_name,
  p.requested_at, p.expires_at, p.decided_by, ops.name_of(p.decided_by) as decided_by_name, p.decided_at, p.decided_because, p.used_at,
  case
    when p.used_at is not null then 'used'
    when p.decision = 'rejected' then 'rejected'
    when p.expires_at <= now() then 'expired'
    else coalesce(p.decision, 'pending')
  end as status`;

/** Requests for approval, newest first, after `cursor`; `open` ones only: pending, or approved and not used yet. */
export const listApprovals = (
  db: Db,
  { open, ...page }: PageRequest & { open: boolean },
): Promise<readonly z.infer<typeof approvalRow>[]> =>
  db.any(sql.type(approvalRow)`
    select ${shown}
    from approvals p
    where (not ${open} or (p.used_at is null and p.decision is distinct from 'rejected' and p.expires_at > now()))
      and ${keysetPage({ table: 'approvals', alias: 'p', time: 'requested_at', order: 'newest first' }, page)}`);

/** One request for approval, or null. */
export const findApproval = (
  db: Pick<Db, 'maybeOne'>,
  approvalId: string,
): Promise<z.infer<typeof approvalRow> | null> =>
  db.maybeOne(sql.type(approvalRow)`
    select ${shown}
    from approvals p
    where p.id = ${approvalId}`);

/** Whether there is a request for approval of this id. */
export const isApproval = (db: Db, approvalId: string): Promise<boolean> =>
  db.exists(sql.unsafe`select from approvals p where p.id = ${approvalId}`);

/** The role that an operation of operators needs. Throws for another operation. */
export function roleOf(operation: OperationId): OperatorRole {
  const role = requiredRoles[operation];
  if (!role) throw new Error(`${operation} is no operation of operators`);
  return role;
}
