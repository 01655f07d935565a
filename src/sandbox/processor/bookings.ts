import { book } from './balance.ts';
import type { Dispute, PaymentIntent, Refund, World } from './world.ts';

const FEE = { share: 0.029, fixed: 30, dispute: 1_500 };

const sourceOf = (object: string, id: string | null, payment_intent: unknown) => ({
  id: String(id),
  object,
  payment_intent,
});

/** A payment adds what was received to the platform's balance, without the fee. */
export function bookCharge(world: World, { id, amount_received, currency, latest_charge }: PaymentIntent): void {
  const paid = { amount: amount_received, currency };
  const fee = Math.round(paid.amount * FEE.share) + FEE.fixed;
  book(world, { type: 'charge', ...paid, fee, source: { ...sourceOf('charge', latest_charge, id), ...paid } });
}

/** A refund or a dispute takes money, or gives it back. */
export function bookLoss(
  world: World,
  { object, id, payment_intent, amount, currency }: Refund | Dispute,
  type: string,
  moved: number,
): void {
  const fee = object === 'dispute' && moved < 0 ? FEE.dispute : 0;
  book(world, {
    type,
    amount: moved,
    currency,
    fee,
    source: { ...sourceOf(object, id, payment_intent), amount, currency },
  });
}

/** Whether a dispute has taken its amount: an inquiry takes nothing, and what was won is given back. */
export const isWithdrawn = (status: string): boolean =>
  !status.startsWith('warning') && status !== 'won' && status !== 'prevented';
