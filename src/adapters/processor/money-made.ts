import type Stripe from 'stripe';
import { z } from 'zod';
import { found, type ReadResult } from '../../kernel/upstream-result.ts';
import { createdSince, listAll, type Paging } from './listing.ts';
import { cents, currency, id, metadata, reading, reference } from './objects.ts';
import { readAccountOf } from './responses.ts';
import type { MoneyMade } from './types.ts';

const MOST_PAGES = 500; // 50,000 objects

const object = z.object({
  id,
  amount: cents,
  amount_reversed: cents.optional(),
  currency,
  status: z.string().nullish(),
  created: z.int().min(0),
  destination: reference.nullish(),
});
/** What this service writes into the metadata of a payment intent or a transfer. */
const ours = z.object({
  intent_id: z.uuid(),
  payment_id: id.optional(),
  payout_id: id.optional(),
  user_id: id.optional(),
  app_id: id.optional(),
});

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

/** Of other software's object nothing, whatever it contains. Null: it is this service's, and a member is missing or impossible. */
function readMoney(kind: MoneyMade['kind'], listed: unknown): MoneyMade[] | null {
  const { data } = ours.safeParse(Object(listed).metadata);
  const subjectId = kind === 'payment' ? data?.payment_id : data?.payout_id;
  if (!data || subjectId === undefined) return [];
  const made = object.safeParse(listed).data;
  return made ? [moneyOf(kind, made, { ...data, subjectId })] : null;
}

const moneyOf = (
  kind: MoneyMade['kind'],
  made: z.infer<typeof object>,
  { intent_id, user_id, app_id, subjectId }: z.infer<typeof ours> & { subjectId: string },
): MoneyMade => ({
  kind,
  id: made.id,
  intentId: intent_id,
  subjectId,
  cents: made.amount - (made.amount_reversed ?? 0),
  currency: made.currency,
  status: made.status ?? null,
  accountId: made.destination ?? null,
  userId: user_id ?? null,
  appId: app_id ?? null,
  madeAtMs: made.created * 1000,
});
