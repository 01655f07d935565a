import { z } from 'zod';
import {
  readAccount,
  readCharge,
  readDispute,
  readPayment,
  readPayout,
  readRefund,
  readTransfer,
  readVerification,
} from './objects.ts';
import type { EventPage, Fact, LossSeen, ProcessorEvent } from './types.ts';

const event = z.object({
  type: z.string().regex(/^[\w.]{1,255}$/),
  created: z.int().min(0).max(99_999_999_999),
  livemode: z.boolean(),
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
});
type Event = z.infer<typeof event>;

/**
 * Reduces an event to the data that the service acts on. An event of the other mode concerns nothing here. Null if it
 * has no id.
 */
export function readEvent(object: unknown, isLive: boolean): ProcessorEvent | null {
  const id = idOf(object);
  if (id === null) return null;
  const read = event.safeParse(object).data;
  if (!read) return { id, type: 'unreadable', atMs: 0, fact: { about: 'unreadable', object: null } };
  const fact = read.livemode === isLive ? readFact(read) : NOTHING;
  return { id, type: read.type, atMs: read.created * 1000, fact };
}

const list = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

/** Reads a page of events. Null if it is not one, or does not say where the next one begins. */
export function readEvents(object: unknown, isLive: boolean): EventPage | null {
  const page = list.safeParse(object).data;
  if (!page) return null;
  const next = page.has_more ? idOf(page.data.at(-1)) : null;
  if (page.has_more && next === null) return null;
  const events = page.data.map((each) => readEvent(each, isLive)).filter((each) => each !== null);
  return { events, next };
}

const identified = z.object({ id: z.string().regex(/^[\w-]{1,255}$/) });

const idOf = (object: unknown): string | null => identified.safeParse(object).data?.id ?? null;

const NOTHING: Fact = { about: 'nothing' };

/**
 * The state of an object that the service follows. All other objects are `nothing`, and so are a connected account's
 * own payments and verifications: an event counts only from the account that its object belongs to.
 */
function readFact({ type, account, data: { object } }: Event): Fact {
  const read = account ? readFromAccount(type, account, object) : readFromPlatform(type, object);
  return read ?? { about: 'unreadable', object: idOf(object) };
}

/** Null: a member is missing. */
function readFromPlatform(type: string, object: unknown): Fact | null {
  if (type.startsWith('payment_intent.')) return paymentFact(object);
  if (type === 'charge.refunded' || type === 'charge.updated') return lossFact(readCharge(object));
  if (type === 'charge.refund.updated' || type.startsWith('refund.')) return lossFact(readRefund(object));
  if (type.startsWith('charge.dispute.')) return lossFact(readDispute(object));
  if (type.startsWith('identity.verification_session.')) return verificationFact(object);
  if (type === 'transfer.reversed' || type === 'transfer.updated') return transferFact(object);
  return NOTHING;
}

/** Null: a member is missing. */
function readFromAccount(type: string, account: string, object: unknown): Fact | null {
  if (type === 'account.updated') {
    const seen = readAccount(object);
    return seen && (seen.accountId === account ? { about: 'account', ...seen } : NOTHING);
  }
  if (!type.startsWith('payout.')) return NOTHING;
  const seen = readPayout(object);
  return seen && { about: 'payout', accountId: account, ...seen };
}

function paymentFact(object: unknown): Fact | null {
  const seen = readPayment(object);
  if (!seen) return null;
  const { clientSecret: _, ...rest } = seen;
  return { about: 'payment', ...rest };
}

function verificationFact(object: unknown): Fact | null {
  const seen = readVerification(object);
  if (!seen) return null;
  const { url: _, clientSecret: __, ...rest } = seen;
  return { about: 'verification', ...rest };
}

/** A charge without a payment intent does not belong to this service. */
function lossFact(seen: LossSeen | null): Fact | null {
  if (!seen) return null;
  const { processorId, loss } = seen;
  return processorId === null ? NOTHING : { about: 'charge', processorId, loss };
}

function transferFact(object: unknown): Fact | null {
  const seen = readTransfer(object);
  if (!seen) return null;
  const { accountId, ...rest } = seen;
  return accountId === null ? NOTHING : { about: 'transfer', accountId, ...rest };
}
