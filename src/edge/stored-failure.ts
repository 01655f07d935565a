import type { Context } from 'koa';
import { ApiError } from '../kernel/errors.ts';

/**
 * Marks a failure as not retryable if it is stored under a key of the caller: the same request would return the same
 * stored failure. Without such a key the next request is a new one, and the error is returned unchanged.
 */
export function asStoredFailure(apiError: ApiError, ctx: Context): ApiError {
  const { intent_id, effect } = apiError.details;
  if (!apiError.retryable || intent_id === undefined || effect !== 'none') return apiError;
  if (!isRepeatable(ctx) && !callerIds(ctx).includes(intent_id)) return apiError;
  return new ApiError(apiError.code, { ...apiError.details, retryable: false });
}

/** Whether the request has an Idempotency-Key. */
export const isRepeatable = (ctx: Context): boolean => ctx.get('Idempotency-Key') !== '';

/** Order ids that the caller has chosen, in lower case. An order's is the id of its intent. */
export function callerIds({ request }: Context): string[] {
  const { order_uuid, client_order_id } = Object(request.body) as Record<string, unknown>; // as: any body
  return [order_uuid, client_order_id].flatMap((id) => (typeof id === 'string' ? id.toLowerCase() : []));
}
