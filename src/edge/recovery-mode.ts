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
 * Whether a write of operators moves money, for which it waits at an upstream, or creates an account: what was done before is not known until
 * the recovery is over.
 */
const isClosedToOperators = ({ id, parameters }: Write) =>
  id === 'provisionAgain' || parameters.some(({ name }) => name === 'Prefer');

/**
 * Rejects a write while the database is being recovered: SERVICE_UNAVAILABLE, to be retried. Its effect is `unknown` under a key or an id
 * of the caller, whose first request may be among those that the database has lost; else `none`. Reads stay open, log-ins too, and
 * operators' writes but those that move money or create an account.
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
