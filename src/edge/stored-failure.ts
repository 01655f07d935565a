import type { Context } from 'koa';
import { ApiError } from '../kernel/errors.ts';
import type { IntentId } from '../kernel/ids.ts';

/**
 * Marks a failure as not retryable if it is stored under a key of the caller: the same request would return the same
 * stored failure. Without such a key the next request is a new one, and the error is returned unchanged.
 */
export function asStoredFailure(apiError: ApiError, ctx: Context): ApiError {
  const { intent_id, effect } = apiError.details;
  if (!apiError.retryable || intent_id === undefined || effect !== 'none' || !hasCallerKey(ctx, intent_id))
    return apiError;
  return new ApiError(apiError.code, { ...apiError.details, retryable: false });
}

/** Whether the request has an Idempotency-Key, or an order id chosen by the caller, which is the id of the intent. */
function hasCallerKey(ctx: Context, intentId: IntentId): boolean {
  if (ctx.get('Idempotency-Key') !== '') return true;
  const { order_uuid, client_order_id } = Object(ctx.request.body) as Record<string, unknown>; // as: any body
  return [order_uuid, client_order_id].some((id) => typeof id === 'string' && id.toLowerCase() === intentId);
}
