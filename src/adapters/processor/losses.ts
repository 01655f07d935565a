import { z } from 'zod';
import { amount, code, currency, id, orNull, reading, reference, type Seen, seen, time } from './objects.ts';

/** A sum of some losses must fit a column: the processor accepts no amount of more than eight digits. */
const lossCents = z.int().min(0).max(99_999_999);

const losing = {
  processorId: ['payment_intent', orNull(reference)],
  id: ['id', id],
  cents: ['amount', lossCents],
  currency: ['currency', currency.optional().transform((named) => named ?? null)],
  status: ['status', code],
  madeAtMs: ['created', orNull(time)],
} as const;

/**
 * An object that takes money from a payment: a charge with the cumulative amount of its refunds, a refund, or a dispute.
 * `madeAtMs` is by the processor's clock. `currency` is null if the processor does not name it. `madeCents`: what it took when it was made, if that
 * was more.
 */
export type Loss = { kind: 'charge' | 'refund' | 'dispute'; madeCents?: number } & Omit<
  Seen<typeof losing>,
  'processorId'
>;

/** A loss of a payment. `processorId`: the payment intent, if its charge has one. */
const lossOf =
  (kind: Loss['kind']) =>
  ({ processorId, ...loss }: Seen<typeof losing>): { processorId: string | null; loss: Loss } => ({
    processorId,
    loss: { kind, ...loss },
  });

/** Reads a refund. */
export const readRefund = reading(seen(losing).transform(lossOf('refund')));

/** Reads a charge: how much of it was refunded in total. */
export const readCharge = reading(
  seen({
    ...losing,
    processorId: ['payment_intent', reference.nullable()],
    cents: ['amount_refunded', lossCents],
    status: ['status', z.unknown().transform(() => null)], // of the charge: its refunds have none
  }).transform(lossOf('charge')),
);

/** What a dispute has taken, and given back, in the currency of the platform's balance. */
export const disputeMoves = orNull(z.array(z.object({ amount })));

const ONCE_LOST: readonly unknown[] = ['lost', 'appeal_needs_response', 'appeal_under_review'];

/**
 * What a lost dispute of such an amount has given back: what was refunded of the same money before
 * (support.stripe.com/questions/dispute-for-full-charge-amount-after-a-partial-refund-was-issued).
 */
export function givenBack(cents: number, status: unknown, moves: z.output<typeof disputeMoves>): number {
  const amounts = (moves ?? []).map((each) => each.amount);
  const taken = -Math.min(0, ...amounts);
  const left = Math.max(0, -amounts.reduce((total, each) => total + each, 0));
  return ONCE_LOST.includes(status) && left < taken ? Math.round((cents * (taken - left)) / taken) : 0;
}

/**
 * Reads a dispute. `cents`: what it takes. What is prevented is either blocked, which takes nothing, or resolved by paying the card holder back, which
 * its balance transactions show (docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute): its money is lost.
 */
export const readDispute = reading(
  seen({ ...losing, moves: ['balance_transactions', disputeMoves] }).transform(
    ({ moves, cents, status, ...object }) => {
      const hasTaken = (moves ?? []).reduce((left, each) => left + each.amount, 0) < 0;
      const back = givenBack(cents, status, moves);
      return lossOf('dispute')({
        ...object,
        cents: cents - back,
        ...(back > 0 && { madeCents: cents }),
        status: status === 'prevented' && hasTaken ? 'lost' : status,
      });
    },
  ),
);
