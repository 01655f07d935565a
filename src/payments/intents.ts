import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import {
  type Accept,
  type Accepted,
  intentFor,
  type NewIntent,
  rejectionBy,
  type Submission,
} from '../intents/accept.ts';
import { ApiError } from '../kernel/errors.ts';
import type { UserId } from '../kernel/ids.ts';
import { newId, newIntentId } from '../kernel/ids.ts';

/** A checkout to accept: its intent, and the payment row written with it. */
export type NewCheckout = NewIntent & {
  payment_id: string;
  user_id: string;
  tier_id: string;
  market: string;
  asset_class: string;
  account_size: number;
  amount_cents: number;
  currency: string;
};

type Wanted = Pick<NewCheckout, 'tier_id' | 'market' | 'asset_class' | 'account_size' | 'amount_cents' | 'currency'>;

const errorOf = rejectionBy({
  tier_unknown: 'V2_TIER_UNKNOWN',
  tier_free: 'V2_TIER_FREE',
  tier_mismatch: 'V2_TIER_MISMATCH',
  amount_mismatch: 'V2_AMOUNT_MISMATCH',
});

/**
 * Submits the checkout of a tier. Throws an `ApiError` if the request does not match the tier; nothing is written then.
 */
export const checkOut = (context: Submission<NewCheckout>, userId: UserId, wanted: Wanted): Promise<Accepted> => {
  const paymentId = newId('pay');
  const newCheckout = {
    ...wanted,
    ...intentFor(context, 'payments/checkout', { payment_id: paymentId }),
    payment_id: paymentId,
    user_id: userId,
  };
  return context.accept(newCheckout, errorOf);
};

/**
 * Submits the refund of a payment and records the operator. Throws V2_PAYMENT_NOT_REFUNDABLE if nothing is left to
 * refund.
 */
export async function refundPayment(
  context: { db: Db; accept: Accept<NewIntent>; operator: string; requestId?: string; deadlineMs: number },
  paymentId: string,
): Promise<Accepted> {
  const owner = await context.db.maybeOneFirst(sql.type(z.object({ owner: z.string() }))`
    select p.owner
    from payments p
    where p.id = ${paymentId} and p.paid_at is not null and p.refunded_cents < p.received_cents`);
  if (owner === null) throw new ApiError('V2_PAYMENT_NOT_REFUNDABLE', { effect: 'none' });
  const intent = await context.accept({
    id: newIntentId(),
    kind: 'payments/refund',
    owner,
    lane: `refund:${paymentId}`,
    request: { payment_id: paymentId, operator: context.operator },
    digest: Buffer.from(paymentId).toString('hex'),
    deadline_s: context.deadlineMs / 1000,
    ...(context.requestId && { request_id: context.requestId }),
  });
  await context.db.query(sql.type(z.object({}))`
    insert into operator_actions (operator, action, payment_id, detail)
    values (${context.operator}, 'refund', ${paymentId}, ${sql.jsonb({ intent_id: intent.id })})`);
  return intent;
}
