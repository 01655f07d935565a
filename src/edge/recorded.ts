import type { Context } from 'koa';
import { Refusal } from '../kernel/refusals.ts';

/**
 * A failure recorded under a name the caller gave its request is answered again to the same request, so that sending it unchanged
 * helps nobody: it is not retryable. Without such a name the next request is a new one.
 */
export function asRecorded(refusal: Refusal, ctx: Context): Refusal {
  const { intent_id, effect } = refusal.details;
  if (!refusal.retryable || intent_id === undefined || effect !== 'none' || !isNamed(ctx, intent_id)) return refusal;
  return new Refusal(refusal.code, { ...refusal.details, retryable: false });
}

/** By an Idempotency-Key, or by an order id of the caller's own, which is its intent's. */
function isNamed(ctx: Context, intentId: string): boolean {
  if (ctx.get('Idempotency-Key') !== '') return true;
  const { order_uuid, client_order_id } = Object(ctx.request.body) as Record<string, unknown>; // as: any body may come
  return [order_uuid, client_order_id].some((id) => typeof id === 'string' && id.toLowerCase() === intentId);
}
