import type Stripe from 'stripe';
import { z } from 'zod';
import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { listAll, type Paging } from './listing.ts';
import { amount, cents, currency, id, reading, reference, time } from './objects.ts';
import { readResultOf } from './responses.ts';
import type { Holding } from './types.ts';

const MOST_PAGES = 20; // 2,000 reversals of one transfer

const transfer = z.object({ id, destination: reference, destination_payment: reference, amount_reversed: cents });
const arrival = z.object({
  id,
  balance_transaction: z.object({ net: amount.min(0), currency, created: time, available_on: time }),
});
/** A refund takes money: its balance transaction is negative. */
const refund = z.object({ id, balance_transaction: z.object({ net: amount.max(0), currency, created: time }) });

/**
 * Reads what an account holds of a transfer: the payment that it received, without the refunds of that payment, which the
 * reversals of the transfer made (docs.stripe.com/api/transfer_reversals, `destination_payment_refund`). The transfer is
 * read first: what is held may be newer than `reversedCents`, never older.
 */
export async function findHolding(stripe: Stripe, transferId: string, accountId: string): Promise<ReadResult<Holding>> {
  const sent = await readResultOf(stripe.transfers.retrieve(transferId), reading(transfer));
  if (sent.kind !== 'found') return sent;
  if (sent.data.id !== transferId || sent.data.destination !== accountId) return unreadable('another transfer');
  const at = { stripeAccount: accountId };
  const charge = sent.data.destination_payment;
  const received = await readResultOf(
    stripe.charges.retrieve(charge, { expand: ['balance_transaction'] }, at),
    reading(arrival),
  );
  if (received.kind !== 'found') return received;
  if (received.data.id !== charge) return unreadable('another payment');
  const refunds = await listAll({
    list: (paging: Paging) => stripe.refunds.list({ ...paging, charge, expand: ['data.balance_transaction'] }, at),
    read: reading(refund),
    mostPages: MOST_PAGES,
  });
  if (refunds.kind !== 'found') return refunds;
  const { currency, available_on } = received.data.balance_transaction;
  const moved = [received.data, ...refunds.data];
  if (moved.some(({ balance_transaction }) => balance_transaction.currency !== currency))
    return unreadable('a refund is in another currency');
  const movements = moved.map(({ id, balance_transaction: { net, created } }) => ({ id, net, atMs: created }));
  return found({
    arrivalId: received.data.id,
    heldCents: movements.reduce((left, { net }) => left + net, 0),
    currency,
    availableAtMs: available_on,
    reversedCents: sent.data.amount_reversed,
    movements,
  });
}
