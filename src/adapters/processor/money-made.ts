import type Stripe from 'stripe';
import { z } from 'zod';
import { found, type ReadResult } from '../../kernel/upstream-result.ts';
import { createdSince, listAll, type Paging } from './listing.ts';
import { cents, currency, id, metadata, orNull, reading, reference, seen, time } from './objects.ts';
import { readAccountOf } from './responses.ts';

const MOST_PAGES = 500; // 50,000 objects

/** A payment intent or a transfer. */
const object = seen({
  id: ['id', id],
  amount: ['amount', cents],
  reversed: ['amount_reversed', cents.optional()],
  currency: ['currency', currency],
  /** Of a payment. */
  status: ['status', orNull(z.string())],
  /** The connected account of a transfer. */
  accountId: ['destination', orNull(reference)],
  madeAtMs: ['created', time],
});
/** What this service writes into the metadata of one. */
const ours = seen({
  intentId: ['intent_id', z.uuid()],
  paymentId: ['payment_id', id.optional()],
  payoutId: ['payout_id', id.optional()],
  userId: ['user_id', id.optional()],
  appId: ['app_id', id.optional()],
});

/**
 * Money that one of this service's intents moved: a payment intent, or a transfer to a connected account. `subjectId`: the
 * payment or payout in this service. `cents`: what was requested, or transferred and not reversed.
 */
export type MoneyMade = NonNullable<ReturnType<typeof readMoney>>[number];

/** All payment intents and transfers since then that this service's metadata names. */
export async function listMoneyMade(stripe: Stripe, sinceMs: number): Promise<ReadResult<MoneyMade[]>> {
  const created = createdSince(sinceMs);
  const lists = {
    payment: (paging: Paging) => stripe.paymentIntents.list({ ...paging, created }),
    transfer: (paging: Paging) => stripe.transfers.list({ ...paging, created }),
  };
  const all: MoneyMade[] = [];
  for (const kind of ['payment', 'transfer'] as const) {
    const read = await listAll({ list: lists[kind], read: (each) => readMoney(kind, each), mostPages: MOST_PAGES });
    if (read.kind !== 'found') return read;
    all.push(...read.data.flat());
  }
  const users = await usersOf(stripe, new Set(all.flatMap(({ accountId }) => accountId ?? [])));
  if (users.kind !== 'found') return users;
  return found(all.map((each) => ({ ...each, userId: each.userId ?? users.data.get(each.accountId ?? '') ?? null })));
}

const receiver = z.object({ metadata: metadata('user_id') });

/** The owners of the accounts that received transfers, by their metadata: the accounts may be unknown here. */
async function usersOf(stripe: Stripe, accountIds: ReadonlySet<string>): Promise<ReadResult<Map<string, string>>> {
  const users = new Map<string, string>();
  for (const id of accountIds) {
    const read = await readAccountOf(stripe.accounts.retrieve(id), reading(receiver));
    if (read.kind === 'unreadable') return read;
    const userId = read.kind === 'found' ? read.data.metadata : null;
    if (userId !== null) users.set(id, userId);
  }
  return found(users);
}

/** An object of other software yields nothing, whatever it contains. Null: it is this service's, and a member is missing or impossible. */
function readMoney(kind: 'payment' | 'transfer', listed: unknown) {
  const { data } = ours.safeParse(Object(listed).metadata);
  const subjectId = kind === 'payment' ? data?.paymentId : data?.payoutId;
  if (!data || subjectId === undefined) return [];
  const made = object.safeParse(listed).data;
  if (!made) return null;
  const { intentId, userId = null, appId = null } = data;
  const { amount, reversed = 0, ...rest } = made;
  return [{ kind, subjectId, intentId, userId, appId, cents: amount - reversed, ...rest }];
}
