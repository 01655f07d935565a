import type Stripe from 'stripe';
import { z } from 'zod';
import { found, type ReadResult } from '../../kernel/upstream-result.ts';
import { createdSince, listAll, type Paging } from './listing.ts';
import { disputeMoves, givenBack } from './losses.ts';
import { amount, code, currency, id, orNull, reading, reference, seen, time } from './objects.ts';
import { readResultOf } from './responses.ts';

const MOST_PAGES = 1_000; // 100,000 changes of the platform's balance
/** What an account has of a currency: available, pending and reserved. */
export type BalanceSeen = { currency: string; amount: number };
const parts = z.array(z.object({ amount, currency }));

const balance = z
  .object({ available: parts, pending: parts, connect_reserved: parts.optional() })
  .transform(({ available, pending, connect_reserved = [] }): BalanceSeen[] => {
    const totals = new Map<string, number>();
    for (const part of [...available, ...pending, ...connect_reserved])
      totals.set(part.currency, (totals.get(part.currency) ?? 0) + part.amount);
    return [...totals].map(([currency, amount]) => ({ currency, amount }));
  });

/** Reads what an account has by currency: available, pending and reserved (docs.stripe.com/api/balance). */
export const findBalance = (stripe: Stripe, accountId: string): Promise<ReadResult<BalanceSeen[]>> =>
  readResultOf(stripe.balance.retrieve({}, { stripeAccount: accountId }), reading(balance));

/** What made a change: a charge, refund or dispute of a payment intent, a transfer, or a reversal of one. */
const source = z.object({
  id,
  payment_intent: reference.nullish(),
  transfer: reference.nullish(),
  amount: z.int().min(0),
  currency,
  status: code.catch(null),
  balance_transactions: disputeMoves.catch(null),
});

/**
 * A change of the platform's balance. `objectId`: the payment intent or transfer whose money it is, or the object that made it; null:
 * nothing that this service follows. `madeCents` and `madeCurrency`: its amount in the currency it was made in; `cents` and `currency`: what
 * the balance changed by, before the fee. `rate`: between both.
 */
const change = seen({
  id: ['id', id],
  cents: ['amount', amount],
  feeCents: ['fee', amount],
  currency: ['currency', currency],
  rate: ['exchange_rate', orNull(z.number().positive())],
  atMs: ['created', time],
  source: ['source', z.unknown()],
}).transform(({ source: made, ...object }) => {
  const by = source.safeParse(made).data ?? null; // other software's, or the processor's own, may be anything
  return {
    ...object,
    objectId: by && (by.payment_intent ?? by.transfer ?? by.id),
    madeCents: by && madeCents(object.cents, by),
    madeCurrency: by?.currency ?? null,
  };
});

/** By how much a change is, in the currency of what made it. */
function madeCents(cents: number, by: z.output<typeof source>): number {
  const back = cents > 0 ? givenBack(by.amount, by.status, by.balance_transactions) : 0;
  return Math.sign(cents) * (back || by.amount);
}

/** A change of the platform's balance, as the processor lists it. */
export type BalanceChange = z.output<typeof change>;

/** One that lacks a member, or whose currency or amount is impossible. `atMs`: when it was made; null if that is unreadable too. */
export type UnreadableChange = Pick<BalanceChange, 'id'> & { atMs: number | null; isUnreadable: true };

const unreadableChange = seen({ id: ['id', id], atMs: ['created', orNull(time).catch(null)] }).transform(
  (object): UnreadableChange => ({ ...object, isUnreadable: true }),
);

const isUnreadable = (change: BalanceChange | UnreadableChange): change is UnreadableChange => 'isUnreadable' in change;

/** What changed the platform's balance, and what cannot be read of it. */
export type BalanceChanges = { changes: BalanceChange[]; unreadable: UnreadableChange[] };

/**
 * Reads what changed the platform's balance since then, with fees and rates, newest first
 * (docs.stripe.com/api/balance_transactions). Those that nothing made of what this service follows are left out. One that is unreadable does not keep
 * the others from being read.
 */
export async function listBalanceChanges(stripe: Stripe, sinceMs: number): Promise<ReadResult<BalanceChanges>> {
  const created = createdSince(sinceMs);
  const read = await listAll<BalanceChange | UnreadableChange>({
    list: (paging: Paging) => stripe.balanceTransactions.list({ ...paging, created, expand: ['data.source'] }),
    read: reading(z.union([change, unreadableChange])),
    mostPages: MOST_PAGES,
  });
  if (read.kind !== 'found') return read;
  const unreadable = read.data.filter(isUnreadable);
  const changes = read.data.filter((each): each is BalanceChange => !isUnreadable(each) && each.objectId !== null);
  return found({ changes, unreadable });
}
