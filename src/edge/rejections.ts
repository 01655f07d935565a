import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';
import type { OnLack } from './authenticate.ts';
import type { EdgeDeps } from './deps.ts';
import { callerAddress } from './throttle.ts';
import type { RequestParts } from './validate.ts';

type Attempt = {
  ctx: Context;
  operation: Operation;
  adminId: string;
  principal: Principal;
  parts: Pick<RequestParts, 'path' | 'body'>;
  deps: Pick<EdgeDeps, 'config' | 'recordRejection'>;
};

/**
 * Runs an operator's write. If it is rejected, records the operator, the object and the error code in the audit log, and
 * throws the error again.
 */
export async function recordingRejections<Result>(attempt: Attempt, run: () => Promise<Result>): Promise<Result> {
  return run().catch(async (error) => {
    if (error instanceof ApiError) await record(attempt, error.code);
    throw error;
  });
}

/**
 * Records the write of an operator who lacks a role, such as one without an authenticator. Its body is not read. Reads
 * and other callers are not recorded.
 */
export const recordingLack =
  ({ ctx, operation, deps }: Pick<Attempt, 'ctx' | 'operation' | 'deps'>): OnLack =>
  async (principal, { code }) => {
    if (principal.kind !== 'admin' || operation.method === 'get') return;
    const parts = { path: { ...ctx.params }, body: undefined };
    await record({ ctx, operation, adminId: principal.adminId, principal, parts, deps }, code);
  };

const LONGEST_REASON = 500;
const LONGEST_SUBJECT = 200; // a longer one is no id, and might not fit into an index

/** What the path of a rejected request named, checked or not, so that it can be stored. */
const subjectOf = (path: Record<string, unknown>): string | null =>
  Object.values(path).map(String)[0]?.replaceAll('\0', '\ufffd').slice(0, LONGEST_SUBJECT) ?? null;

async function record({ ctx, operation, adminId, principal, parts, deps }: Attempt, code: string) {
  const { reason } = Object(parts.body);
  await deps.recordRejection({
    actor: { adminId, address: callerAddress(ctx, principal).address, requestId: ctx.state.requestId },
    action: operation.id,
    subject: subjectOf(parts.path),
    code,
    ...(typeof reason === 'string' && { why: reason.slice(0, LONGEST_REASON) }),
  });
}
