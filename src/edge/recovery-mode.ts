import type { Context } from 'koa';
import type { Operation, OperationId } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import { callerIds, isRepeatable } from './stored-failure.ts';

const RETRY_S = 60; // a recovery takes minutes
const OPERATORS = '/v2/admin/';

type Write = Pick<Operation, 'id' | 'path' | 'parameters'>;

/** Writes beside operators' that stay open: they open or end access, or only read. Nothing is sent for them. */
const OPEN: ReadonlySet<OperationId> = new Set([
  'issueAccessToken',
  'revokeAccessToken',
  'logInUser',
  'revokeUserSession',
  'revokeApiKey',
  'validateTrade',
]);

/**
 * Whether a write of operators moves money, which makes it wait for an upstream, or creates an account. During the recovery it is not known whether
 * that was done before.
 */
const isClosedToOperators = ({ id, parameters }: Write) =>
  id === 'provisionAgain' || parameters.some(({ name }) => name === 'Prefer');

/**
 * Rejects a write while the database is being recovered: SERVICE_UNAVAILABLE, to be retried. The effect is `unknown` under a key or id of the caller,
 * because the database may have lost an earlier request under it; else `none`. Still allowed: reads, log-ins, and operators' writes that neither move
 * money nor create an account.
 */
export function rejectInRecovery(operation: Write, ctx: Context): void {
  const isOpen = operation.path.startsWith(OPERATORS) ? !isClosedToOperators(operation) : OPEN.has(operation.id);
  if (isOpen) return;
  const isRepeat = isRepeatable(ctx) || callerIds(ctx).length > 0;
  throw new ApiError('SERVICE_UNAVAILABLE', {
    effect: isRepeat ? 'unknown' : 'none',
    retryable: true,
    retryAfterS: RETRY_S,
    reason: 'recovery',
  });
}
