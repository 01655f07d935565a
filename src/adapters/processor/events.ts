import { z } from 'zod';
import { readCharge, readDispute, readRefund } from './losses.ts';
import {
  readAccount,
  readPayment,
  readPayout,
  readTransfer,
  readVerification,
  readWarning,
  reference,
  time,
} from './objects.ts';
import type { EventPage, Fact, ProcessorEvent } from './types.ts';

const event = z.object({
  type: z.string().regex(/^[\w.]{1,255}$/),
  created: time,
  livemode: z.boolean(),
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
});
type Event = z.infer<typeof event>;

/**
 * Reduces an event to the data that the service acts on. An event of the other mode concerns nothing here. Null if it
 * has no id.
 */
export function readEvent(object: unknown, isLive: boolean, listedFor?: string): ProcessorEvent | null {
  const id = idOf(object);
  if (id === null) return null;
  const read = event.safeParse(object).data;
  if (!read) return { id, type: 'unreadable', atMs: 0, fact: { about: 'unreadable', of: null, object: null } };
  const fact = read.livemode === isLive ? readFact({ ...read, account: read.account ?? listedFor }) : NOTHING;
  return { id, type: read.type, atMs: read.created, fact };
}

const list = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

/**
 * Reads a page of events: the platform's, or those of the account they were listed for, which do not name it. Null if
 * it is not one, or does not say where the next one begins.
 */
export function readEvents(object: unknown, isLive: boolean, listedFor?: string): EventPage | null {
  const page = list.safeParse(object).data;
  if (!page) return null;
  const next = page.has_more ? idOf(page.data.at(-1)) : null;
  if (page.has_more && next === null) return null;
  const events = page.data.map((each) => readEvent(each, isLive, listedFor)).filter((each) => each !== null);
  return { events, next };
}

const identified = z.object({ id: z.string().regex(/^[\w-]{1,255}$/) });

const idOf = (object: unknown): string | null => identified.safeParse(object).data?.id ?? null;

const NOTHING: Fact = { about: 'nothing' };

/**
 * The state of an object that the service follows. All other objects are `nothing`, and so are a connected account's
 * own payments and verifications: an event counts only from the account that its object belongs to. An object that cannot be
 * read still says by which id our rows would name it.
 */
function readFact({ type, account, data: { object } }: Event): Fact {
  const of = account ? followedOfAccount(type) : followedOfPlatform(type);
  if (of === null) return NOTHING;
  return READERS[of](object, type, account ?? '') ?? { about: 'unreadable', of, object: nameOf(of, object) };
}

type Followed = Exclude<Fact['about'], 'nothing' | 'unreadable'>;

function followedOfPlatform(type: string): Followed | null {
  if (type.startsWith('payment_intent.')) return 'payment';
  if (type === 'charge.refunded' || type === 'charge.updated' || type === 'charge.refund.updated') return 'charge';
  if (type.startsWith('refund.') || type.startsWith('charge.dispute.')) return 'charge';
  if (type.startsWith('radar.early_fraud_warning.')) return 'warning';
  if (type.startsWith('identity.verification_session.')) return 'verification';
  return type === 'transfer.reversed' || type === 'transfer.updated' ? 'transfer' : null;
}

function followedOfAccount(type: string): Followed | null {
  if (type === 'account.updated') return 'account';
  if (type === 'account.application.deauthorized') return 'deauthorization';
  return type.startsWith('payout.') ? 'payout' : null;
}

/** The id by which our rows name an object; a loss is named by its payment intent. */
const nameOf = (of: Followed, object: unknown): string | null =>
  of === 'charge' || of === 'warning' ? (losing.safeParse(object).data?.payment_intent ?? null) : idOf(object);

const losing = z.object({ payment_intent: reference.nullish() });

/** Null: a member is missing. A charge without a payment intent does not belong to this service. */
const READERS: Record<Followed, (object: unknown, type: string, account: string) => Fact | null> = {
  payment: (object) =>
    factOf(readPayment(object), ({ clientSecret: _, paidAtMs: __, ...seen }) => ({ about: 'payment', ...seen })),
  charge: (object, type) =>
    factOf(lossReader(type)(object), ({ processorId, loss }) =>
      processorId === null ? NOTHING : { about: 'charge', processorId, loss },
    ),
  warning: (object) =>
    factOf(readWarning(object), ({ processorId, isActionable }) =>
      processorId === null ? NOTHING : { about: 'warning', processorId, isActionable },
    ),
  verification: (object) =>
    factOf(readVerification(object), ({ url: _, clientSecret: __, ...seen }) => ({ about: 'verification', ...seen })),
  transfer: (object) =>
    factOf(readTransfer(object), ({ accountId, ...seen }) =>
      accountId === null ? NOTHING : { about: 'transfer', accountId, ...seen },
    ),
  account: (object, _, account) =>
    factOf(readAccount(object), (seen) => (seen.accountId === account ? { about: 'account', ...seen } : NOTHING)),
  deauthorization: (_object, _type, accountId) => ({ about: 'deauthorization', accountId }), // its object is the platform
  payout: (object, _, accountId) => factOf(readPayout(object), (seen) => ({ about: 'payout', accountId, ...seen })),
};

const factOf = <Seen>(seen: Seen | null, fact: (seen: Seen) => Fact): Fact | null => seen && fact(seen);

function lossReader(type: string) {
  if (type.startsWith('charge.dispute.')) return readDispute;
  return type === 'charge.refunded' || type === 'charge.updated' ? readCharge : readRefund;
}
