import type { Context } from 'koa';
import type { OperationId } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerIds, isRepeatable } from './stored-failure.ts';

const RETRY_S = 60; // a recovery takes minutes
const OPERATORS = '/v2/admin/';

/** Writes beside operators' that stay open: they open or end access, or only read. Nothing is sent for them. */
const OPEN: ReadonlySet<OperationId> = new Set([
  'issueAccessToken',
  'revokeAccessToken',
  'logInUser',
  'revokeUserSession',
  'revokeApiKey',
  'validateTrade',
]);

/** Writes of operators that move money or create an account: what was done before is not known until the recovery is over. */
const CLOSED_TO_OPERATORS: ReadonlySet<OperationId> = new Set(['refundPayment', 'reversePayout', 'provisionAgain']);

/**
 * Rejects a write while the database is being recovered: SERVICE_UNAVAILABLE, to be retried. Its effect is `unknown` under a key or an id
 * of the caller, whose first request may be among those that the database has lost; else `none`. Reads stay open, log-ins too, and
 * operators' writes but those that move money or create an account.
 */
export function rejectInRecovery({ id, path }: { id: OperationId; path: string }, ctx: Context): void {
  const isOpen = path.startsWith(OPERATORS) ? !CLOSED_TO_OPERATORS.has(id) : OPEN.has(id);
  if (isOpen) return;
  const isRepeat = isRepeatable(ctx) || callerIds(ctx).length > 0;
  throw new ApiError('SERVICE_UNAVAILABLE', {
    effect: isRepeat ? 'unknown' : 'none',
    retryable: true,
    retryAfterS: RETRY_S,
    reason: 'recovery',
  });
}
