import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { listSecretMembers, type OperationId } from '../../../contract/document.ts';
import type { Call, Commit } from '../../../contract/handler.ts';
import type { operations } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { ErrorCode } from '../../../kernel/error-codes.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { newId, requestDigest } from '../../../kernel/ids.ts';
import { coversRole, operatorRoles } from '../../../kernel/operator-roles.ts';
import { type Admin, adminOf } from '../../../kernel/principal.ts';
import { actorOf } from '../audit/actor.ts';
import { type Actor, note } from '../audit/commands.ts';
import { roleOf } from './queries.ts';

const LIVES_S = 24 * 3_600;

type Deps = { db: Db; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };
/** The operations that may respond with 202, which means that an approval is needed first. */
type Approvable = { [Op in OperationId]: 202 extends keyof operations[Op]['responses'] ? Op : never }[OperationId];
type ApprovalCall = Pick<
  Call<Approvable, Deps>,
  'deps' | 'principal' | 'operation' | 'context' | 'address' | 'requestId' | 'commit'
> & { path: object; query: object; body?: unknown };

/**
 * What a request is about. `facts`: what it would act on as it is now, beside what the request says itself. `cents`: reads the money
 * that it moves; absent if it is not about an amount.
 */
type Request = {
  subject: string;
  facts?: Record<string, unknown>;
  cents?: (db: Pick<Db, 'maybeOneFirst'>) => Promise<number | null>;
};

/** What the approver sees: the facts, and every member of the request except secrets and its reason, which has a member of its own. */
async function shownOf({ operation, path, query, body }: ApprovalCall, { facts, cents }: Request, db: Db) {
  const secrets = listSecretMembers(operation);
  const given = Object.entries({ ...path, ...query, ...Object(body) }).filter(([name]) => name !== 'reason');
  const members = given.map(([name, value]) => (secrets.includes(name) ? [`has_${name}`, true] : [name, value]));
  return { ...Object.fromEntries(members), ...facts, ...(cents && { amount_cents: (await cents(db)) ?? 0 }) };
}

const askedRow = z.object({ id: z.string() });
const usedRow = z.object({ id: z.string(), decided_by: z.string() });

/**
 * The commit of a request that may need another operator's approval, where the deployment asks for it: every request without an
 * amount does, and one by which its operator would have moved more than `DUAL_CONTROL_CENTS` alone in 24 hours. An approval is used, and an amount
 * counted, in the transaction of the write, and the audit names both operators. It is worth nothing once the approver would see anything else.
 * Without one the commit asks for it and throws V2_APPROVAL_REQUIRED.
 */
export const approvedCommit =
  (call: ApprovalCall, request: Request): Commit =>
  async (write, replacedWithinMs) => {
    const limit = call.deps.config.DUAL_CONTROL_CENTS;
    if (limit === undefined) return call.commit(write, replacedWithinMs);
    if (await isApproved(call, request))
      return call.commit(
        (db) =>
          db.transaction(async (tx) => {
            await useApproval(tx, call, request);
            return write(tx);
          }),
        replacedWithinMs,
      );
    const { cents } = request;
    if (cents === undefined) throw await askForApproval(call, request);
    let isTooMuch = false;
    const alone = call.commit(
      (db) =>
        db.transaction(async (tx) => {
          isTooMuch = !(await movesAlone(tx, call, { ...request, cents: (await cents(tx)) ?? 0 }, limit));
          if (isTooMuch) throw new ApiError('V2_APPROVAL_REQUIRED', { effect: 'none' });
          return write(tx);
        }),
      replacedWithinMs,
    );
    return alone.catch(async (error) => {
      throw isTooMuch ? await askForApproval(call, request) : error;
    });
  };

/** Counts an amount that an operator moves alone. False: with it, that would be more than the limit. */
function movesAlone(
  db: Db,
  call: ApprovalCall,
  { subject, cents }: { subject: string; cents: number },
  limit: number,
): Promise<boolean> {
  const { adminId, address, requestId } = actorOf(call);
  return db.oneFirst(sql.prepared('move_alone', z.object({ may: z.boolean() }))`
    select move_alone(${adminId}, ${subject}, ${cents}, ${limit}, ${address}, ${requestId}) as may`);
}

/** Identifies a request, who made it, and what the approver was shown of it. */
const digestOf = ({ context }: ApprovalCall, shown: object) =>
  sql.binary(Buffer.from(requestDigest(context.digest, shown), 'hex'));

async function isApproved(call: ApprovalCall, request: Request): Promise<boolean> {
  const { db } = call.deps;
  return db.exists(sql.prepared('is_approved', z.object({}))`
    select
    from approvals a
    where a.digest = ${digestOf(call, await shownOf(call, request, db))}
      and a.decision = 'approved' and a.used_at is null and a.expires_at > now()`);
}

/** Uses the approval. Of several requests at once exactly one gets it: the others get the error that they need another. */
async function useApproval(db: Db, call: ApprovalCall, request: Request): Promise<void> {
  const used = await db.maybeOne(sql.prepared('use_approval', usedRow)`
    select a.id, a.decided_by from use_approval(${digestOf(call, await shownOf(call, request, db))}) a`);
  if (!used) throw new ApiError('V2_APPROVAL_REQUIRED', { effect: 'none' });
  const detail = { approval_id: used.id, operation: call.operation, approved_by: used.decided_by };
  await note(db, { actor: actorOf(call), action: 'approval.use', detail }, request.subject);
}

async function askForApproval(call: ApprovalCall, request: Request): Promise<ApiError> {
  const { reason } = Object(call.body);
  const shown = await shownOf(call, request, call.deps.db);
  const asked = await call.deps.db.one(sql.prepared('ask_for_approval', askedRow)`
    select a.id
    from ask_for_approval(
      ${newId('apv')}, ${call.operation}, ${request.subject}, ${digestOf(call, shown)}, ${JSON.stringify(shown)}::jsonb,
      ${typeof reason === 'string' ? reason : null}, ${roleOf(call.operation)}, ${adminOf(call.principal).adminId}, ${LIVES_S}
    ) a`);
  return new ApiError('V2_APPROVAL_REQUIRED', {
    effect: 'none',
    message: `Nothing was done yet. Repeat the same request once another operator has approved ${asked.id}.`,
    approval_id: asked.id,
    headers: { Location: `/v2/admin/approvals/${asked.id}` },
  });
}

const VERDICTS: Record<string, ErrorCode> = {
  unknown: 'V2_APPROVAL_UNKNOWN',
  self: 'V2_OPERATOR_SELF',
  role: 'V2_ROLE_MISSING',
  decided: 'V2_APPROVAL_DECIDED',
  ended: 'V2_ADMIN_SESSION_INVALID',
};

/**
 * Approves or rejects a request of another operator, with the audit entry. Throws V2_APPROVAL_UNKNOWN, V2_APPROVAL_DECIDED,
 * V2_OPERATOR_SELF for the operator's own, V2_ROLE_MISSING without the role that the request needs, and V2_ADMIN_SESSION_INVALID if the
 * operator's session has ended meanwhile.
 */
export const decideApproval = (
  db: Db,
  { approvalId, isApproved, why }: { approvalId: string; isApproved: boolean; why: string },
  { admin, actor }: { admin: Admin; actor: Actor },
): Promise<void> =>
  db.transaction(async (tx) => {
    // the role as it is once this transaction has the operator: it may have been taken away since the request began
    const role = await tx.oneFirst(sql.prepared('lock_role_of_operator', z.object({ role: z.enum(operatorRoles) }))`
      select a.role from admins a where a.id = ${admin.adminId} for share`);
    const roles = operatorRoles.filter((covered) => coversRole(role, covered));
    const verdict = await tx.oneFirst(sql.prepared('decide_approval', z.object({ verdict: z.string() }))`
      select decide_approval(${approvalId}, ${admin.adminId}, ${sql.array(roles, 'text')}, ${isApproved}, ${why}, ${admin.sessionId}) as verdict`);
    const code = VERDICTS[verdict];
    if (code) throw new ApiError(code, { effect: 'none' });
    await note(tx, { actor, action: isApproved ? 'approval.approve' : 'approval.reject', why }, approvalId);
  });
