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

/** A refund takes money, or gives it back. */
export function bookRefund(world: World, refund: Refund, type: string, moved: number): void {
  const { object, id, payment_intent, amount, currency } = refund;
  book(world, {
    type,
    amount: moved,
    currency,
    source: { ...sourceOf(object, id, payment_intent), amount, currency },
  });
}

/** A dispute takes money, or gives it back. It lists what it has moved. */
export function bookDispute(world: World, dispute: Dispute, moved: number): void {
  const { currency, balance_transactions } = dispute;
  const fee = moved < 0 ? FEE.dispute : 0;
  const amount = book(world, { type: 'adjustment', amount: moved, currency, fee, source: { ...dispute } });
  balance_transactions.push({ amount });
}

/** Whether a dispute has taken its amount: an inquiry takes nothing, and what was won is given back. */
export const isWithdrawn = (status: string): boolean =>
  !status.startsWith('warning') && status !== 'won' && status !== 'prevented';
