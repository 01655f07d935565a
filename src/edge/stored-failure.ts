import type { Context } from 'koa';
import { ApiError } from '../kernel/errors.ts';
import { orderIdsOf } from '../kernel/ids.ts';

/**
 * Marks a failure of an intent as not retryable where a repeat of the request would not be one. An id of the caller names
 * one order, which keeps its end: the repeat would return the same. Without a key or an id the repeat is a new request, which
 * would come on top of an unknown effect. A failure under a key needs no mark: what may be repeated does not spend the key.
 */
export function asStoredFailure(apiError: ApiError, ctx: Context): ApiError {
  const { intent_id, effect } = apiError.details;
  if (!apiError.retryable || intent_id === undefined) return apiError;
  const isNamed = callerIds(ctx).some((name) => orderIdsOf(ctx.state.owner, name).includes(intent_id));
  const isSame = isNamed ? effect === 'unknown' : effect === 'none' || isRepeatable(ctx);
  if (isSame) return apiError;
  return new ApiError(apiError.code, { ...apiError.details, retryable: false });
}

/** Whether the request has an Idempotency-Key. */
export const isRepeatable = (ctx: Context): boolean => ctx.get('Idempotency-Key') !== '';

/** Names of orders that the caller has chosen, in lower case. */
export function callerIds({ state }: Context): string[] {
  const { order_uuid, client_order_id } = Object(state.body) as Record<string, unknown>; // as: any body
  return [order_uuid, client_order_id].flatMap((id) => (typeof id === 'string' ? id.toLowerCase() : []));
}
