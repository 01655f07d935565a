import type Stripe from 'stripe';
import { z } from 'zod';
import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { createdSince, type Paging, search } from './listing.ts';
import { readRefund } from './losses.ts';
import { amount, currency, metadata, movement, orNull, reading, readPayment, reference, seen } from './objects.ts';
import type { CheckoutSought, Loss, MovementSeen, MovementSought, PaymentSeen, RefundSought } from './types.ts';

const MOST_PAGES = 20; // 2,000 objects of one account or payment
const MOST_PAGES_OF_ALL = 500; // 50,000 payment intents since the request, of all buyers

/**
 * Looks for the movement that carries a key in its metadata. A movement with that key but another amount or receiver is `unreadable`: nothing may be
 * concluded from it. `absent` only if the list was read to its end.
 */
export async function findMovement(stripe: Stripe, sought: MovementSought): Promise<ReadResult<MovementSeen>> {
  const list = (paging: Paging) => listMovements(stripe, sought, paging);
  const isByPayout = sought.isPresumed === true && sought.step !== 'reversal';
  const isLost = (id: string) => isByPayout && !sought.knownIds?.includes(id);
  const read = await search(
    { list, read: reading(listed), mostPages: MOST_PAGES },
    ({ id, metadata: { key, payoutId } }) => key === sought.key || (payoutId === sought.payoutId && isLost(id)),
  );
  if (read.kind !== 'found') return read;
  return isSought(read.data, sought) ? found(seenOf(read.data)) : unreadable('the movement has other terms');
}

/**
 * The reader of a movement that was just made under a key. Null if it is another one, or has other terms than were sent: nothing may be concluded
 * from it.
 */
export const readMade =
  (sent: Terms, key: string) =>
  (object: unknown): MovementSeen | null => {
    const made = reading(listed)(object);
    return made?.metadata.key === key && isSought(made, sent) ? seenOf(made) : null;
  };

/** Looks for the refund that carries a key in its metadata, among all of its payment's. */
export const findRefund = (stripe: Stripe, { processorId, key }: RefundSought): Promise<ReadResult<Loss>> =>
  searchByMetadata(
    (paging) => stripe.refunds.list({ ...paging, payment_intent: processorId }),
    key,
    (object) => readRefund(object)?.loss ?? null,
  );

/** Looks for the payment intent that carries a key in its metadata. */
export const findCheckout = (stripe: Stripe, { key, sinceMs }: CheckoutSought): Promise<ReadResult<PaymentSeen>> =>
  searchByMetadata(
    (paging) => stripe.paymentIntents.list({ ...paging, created: createdSince(sinceMs) }),
    key,
    readPayment,
    MOST_PAGES_OF_ALL,
  );

/** The object of a list whose metadata has this key. Other software's objects may lack what this service reads. */
async function searchByMetadata<Seen>(
  list: (paging: Paging) => Promise<unknown>,
  key: string,
  readSought: (object: unknown) => Seen | null,
  mostPages = MOST_PAGES,
): Promise<ReadResult<Seen>> {
  const tagged = (object: unknown) => ({ object, tag: intentIn.parse(Object(object).metadata) });
  const read = await search({ list, read: tagged, mostPages }, (each) => each.tag === key);
  if (read.kind !== 'found') return read;
  const seen = readSought(read.data.object);
  return seen === null ? unreadable('the object lacks required fields') : found(seen);
}

const intentIn = metadata('intent_id');

const payoutIn = metadata('payout_id');

const listed = seen({
  ...movement,
  amountCents: ['amount', amount],
  currency: ['currency', currency],
  metadata: ['metadata', z.unknown().transform((of) => ({ key: intentIn.parse(of), payoutId: payoutIn.parse(of) }))],
  accountId: ['destination', orNull(reference)],
});

function listMovements(stripe: Stripe, sought: MovementSought, paging: Paging): Promise<unknown> {
  const { step, accountId, transferId, payoutId, sinceMs, isPresumed = false } = sought;
  if (step === 'transfer')
    return stripe.transfers.list({
      ...paging,
      ...(!isPresumed && { destination: accountId }),
      transfer_group: payoutId,
    });
  if (step === 'reversal') return stripe.transfers.listReversals(transferId ?? '', paging);
  return stripe.payouts.list({ ...paging, created: createdSince(sinceMs) }, { stripeAccount: accountId });
}

type Listed = z.infer<typeof listed>;
/** The terms of a movement. A transfer also has a receiver, which the lists of the others imply. */
type Terms = Pick<MovementSought, 'step' | 'amountCents' | 'currency'> & { accountId?: string };

/** Whether a movement has the amount that was sent, and a transfer the receiver. */
const isSought = (made: Listed, { amountCents, currency, accountId, step }: Terms) =>
  made.amountCents === amountCents &&
  made.currency === currency &&
  (step !== 'transfer' || made.accountId === accountId);

const seenOf = ({ id, arrivalId, madeAtMs }: Listed): MovementSeen => ({ id, arrivalId, madeAtMs });
