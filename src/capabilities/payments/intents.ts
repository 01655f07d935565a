import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { type Accepted, intentFor, type NewIntent, rejectionBy, type Submission } from '../../intents/accept.ts';
import { ApiError } from '../../kernel/errors.ts';
import { idSchema, newId, newIntentId, type PaymentId, type UserId } from '../../kernel/ids.ts';
import { checkout } from './checkout.ts';
import { findRefundCents } from './queries.ts';
import { refund } from './refund.ts';

/** The verbs whose writes can be found again at the processor. */
export const paymentWrites = [checkout, refund];

/** What a buyer chose, and what it is to cost. */
type CheckoutTerms = Required<components['schemas']['CheckoutRequest']>;

/** A checkout to accept: its intent, and the payment row written with it. */
export type NewCheckout = NewIntent & CheckoutTerms & { payment_id: PaymentId; user_id: UserId };

const errorOf = rejectionBy({
  tier_unknown: 'V2_TIER_UNKNOWN',
  tier_free: 'V2_TIER_FREE',
  tier_mismatch: 'V2_TIER_MISMATCH',
  amount_mismatch: 'V2_AMOUNT_MISMATCH',
});

/**
 * Submits the checkout of a tier. Throws an `ApiError` if the request does not match the tier; nothing is written then.
 */
export const checkOut = (
  context: Submission<NewCheckout>,
  userId: UserId,
  wanted: CheckoutTerms,
): Promise<Accepted> => {
  const paymentId = newId('pay');
  const intent = intentFor(context, checkout, { payment_id: paymentId });
  return context.accept({ ...wanted, ...intent, payment_id: paymentId, user_id: userId }, errorOf);
};

/**
 * Submits the refund of the rest of a payment and records the operator and the reason, in one commit. While a refund is
 * under way, returns its intent. Throws V2_PAYMENT_UNKNOWN, or V2_PAYMENT_NOT_REFUNDABLE if nothing is left to refund.
 */
export async function refundPayment(
  db: Db,
  paymentId: PaymentId,
  { operator, reason, requestId }: { operator: string; reason: string; requestId: string },
  deadlineMs: number,
): Promise<Accepted> {
  const id = await db.maybeOneFirst(sql.type(z.object({ intent_id: idSchema.intent }))`
    select intent_id
    from refund_payment(${paymentId}, ${operator}, ${reason}, ${newIntentId()}, ${deadlineMs / 1000}, ${requestId})`);
  if (id !== null) return { id, replayed: false };
  const isUnknown = (await findRefundCents(db, paymentId)) === null;
  throw new ApiError(isUnknown ? 'V2_PAYMENT_UNKNOWN' : 'V2_PAYMENT_NOT_REFUNDABLE', { effect: 'none' });
}
