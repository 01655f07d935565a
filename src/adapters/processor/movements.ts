import type Stripe from 'stripe';
import { z } from 'zod';
import { absent, found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { cents, currency, id, metadata, readPayment, readRefund, reference } from './objects.ts';
import { readResultOf } from './responses.ts';
import type { CheckoutSought, Loss, MovementSeen, MovementSought, PaymentSeen, RefundSought } from './types.ts';

const PAGE_SIZE = 100; // the processor's maximum
const MOST_PAGES = 20; // 2,000 objects since the request, or of one account or payment
const CLOCK_SKEW_S = 300;

/**
 * Looks for the movement that carries a key in its metadata. One with that key and another amount or receiver is not
 * readable: nothing may be concluded from it. `absent` only if the list was read to its end.
 */
export async function findMovement(stripe: Stripe, sought: MovementSought): Promise<ReadResult<MovementSeen>> {
  const read = await search(
    (paging) => listMovements(stripe, sought, paging),
    (each) => movement.safeParse(each).data ?? null,
    (each) => each.metadata === sought.key,
  );
  if (read.kind !== 'found') return read;
  const made = read.data;
  return isSought(made, sought)
    ? found({ id: made.id, arrivalId: made.destination_payment ?? null })
    : unreadable('the movement has other terms');
}

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
  );

/** The object of a list whose metadata has this key. Other software's objects may lack what this service reads. */
async function searchByMetadata<Seen>(
  list: (paging: Paging) => Promise<unknown>,
  key: string,
  readSought: (object: unknown) => Seen | null,
): Promise<ReadResult<Seen>> {
  const read = await search(
    list,
    (object) => ({ object, tag: intentIn.parse(Object(object).metadata) }),
    (each) => each.tag === key,
  );
  if (read.kind !== 'found') return read;
  const seen = readSought(read.data.object);
  return seen === null ? unreadable('the object lacks required fields') : found(seen);
}

type Paging = { limit: number; starting_after?: string };

/** The first object of a list, newest first, for which `isIt` holds. An object that `read` cannot read ends the search. */
async function search<Seen>(
  list: (paging: Paging) => Promise<unknown>,
  read: (object: unknown) => Seen | null,
  isIt: (seen: Seen) => boolean,
): Promise<ReadResult<Seen>> {
  let after: string | null = null;
  for (let n = 0; n < MOST_PAGES; n += 1) {
    const paging: Paging = { limit: PAGE_SIZE, ...(after !== null && { starting_after: after }) };
    const answer: ReadResult<Page> = await readResultOf(list(paging), readPage);
    if (answer.kind !== 'found') return unreadable(answer.kind === 'absent' ? 'the list does not exist' : answer.why);
    for (const object of answer.data.data) {
      const seen = read(object);
      if (seen === null) return unreadable('an entry of the list lacks required fields');
      if (isIt(seen)) return found(seen);
    }
    if (!answer.data.has_more) return absent;
    after = answer.data.data.at(-1)?.id ?? null;
    if (after === null) return unreadable('an empty page is not the last');
  }
  return unreadable('the list is too long');
}

const page = z.object({ data: z.array(z.looseObject({ id })), has_more: z.boolean() });
type Page = z.infer<typeof page>;

const readPage = (read: unknown): Page | null => page.safeParse(read).data ?? null;

const intentIn = metadata('intent_id');

const movement = z.object({
  id,
  amount: cents,
  currency,
  metadata: intentIn,
  destination: reference.nullish(),
  destination_payment: reference.nullish(),
});

function listMovements(stripe: Stripe, sought: MovementSought, paging: Paging): Promise<unknown> {
  const { step, accountId, transferId, payoutId, sinceMs } = sought;
  if (step === 'transfer')
    return stripe.transfers.list({ ...paging, destination: accountId, transfer_group: payoutId });
  if (step === 'reversal') return stripe.transfers.listReversals(transferId ?? '', paging);
  return stripe.payouts.list({ ...paging, created: createdSince(sinceMs) }, { stripeAccount: accountId });
}

const createdSince = (sinceMs: number) => ({ gte: Math.floor(sinceMs / 1000) - CLOCK_SKEW_S });

/** Whether a movement has the amount that was sent, and the receiver where its list does not imply it. */
const isSought = (made: z.infer<typeof movement>, { amountCents, currency, accountId, step }: MovementSought) =>
  made.amount === amountCents && made.currency === currency && (step !== 'transfer' || made.destination === accountId);
