import type Stripe from 'stripe';
import { z } from 'zod';
import { absent, found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { cents, currency, id, metadata, reference } from './objects.ts';
import { readResultOf } from './responses.ts';
import type { MovementSeen, MovementSought } from './types.ts';

const PAGE_SIZE = 100; // the processor's maximum
const MOST_PAGES = 20; // one trader's account has few movements within some days
const CLOCK_SKEW_S = 300;

/**
 * Looks for the movement that carries a key in its metadata. One with that key and another amount or receiver is not
 * readable: nothing may be concluded from it. `absent` only if the list was read to its end.
 */
export async function findMovement(stripe: Stripe, sought: MovementSought): Promise<ReadResult<MovementSeen>> {
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read: ReadResult<Page> = await readResultOf(listPage(stripe, sought, after), readPage);
    if (read.kind !== 'found') return unreadable(read.kind === 'absent' ? 'the list does not exist' : read.why);
    const { data, has_more }: Page = read.data;
    const made = data.find((each) => each.metadata === sought.key);
    if (made)
      return isSought(made, sought)
        ? found({ id: made.id, arrivalId: made.destination_payment ?? null })
        : unreadable('the movement has other terms');
    after = data.at(-1)?.id ?? null;
    if (!has_more) return absent;
    if (after === null) return unreadable('an empty page is not the last');
  }
  return unreadable('the list is too long');
}

const movement = z.object({
  id,
  amount: cents,
  currency,
  metadata: metadata('intent_id'),
  destination: reference.nullish(),
  destination_payment: reference.nullish(),
});

const page = z.object({ data: z.array(movement), has_more: z.boolean() });
type Page = z.infer<typeof page>;

const readPage = (read: unknown): Page | null => page.safeParse(read).data ?? null;

function listPage(stripe: Stripe, sought: MovementSought, after: string | null): Promise<unknown> {
  const { step, accountId, transferId, payoutId, sinceMs } = sought;
  const paging = { limit: PAGE_SIZE, ...(after !== null && { starting_after: after }) };
  if (step === 'transfer')
    return stripe.transfers.list({ ...paging, destination: accountId, transfer_group: payoutId });
  if (step === 'reversal') return stripe.transfers.listReversals(transferId ?? '', paging);
  const created = { gte: Math.floor(sinceMs / 1000) - CLOCK_SKEW_S };
  return stripe.payouts.list({ ...paging, created }, { stripeAccount: accountId });
}

/** Whether a movement has the amount that was sent, and the receiver where its list does not imply it. */
const isSought = (made: z.infer<typeof movement>, { amountCents, currency, accountId, step }: MovementSought) =>
  made.amount === amountCents && made.currency === currency && (step !== 'transfer' || made.destination === accountId);
