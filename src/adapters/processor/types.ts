import type { AppId, PaymentId, PayoutId, UserId } from '../../kernel/ids.ts';
import type { ReadResult, UpstreamResult } from '../../kernel/upstream-result.ts';
import type { BalanceChange, BalanceChanges, BalanceSeen } from './balance.ts';
import type { Loss } from './losses.ts';
import type { MoneyMade } from './money-made.ts';
import type * as objects from './objects.ts';
import type { Seen } from './objects.ts';

export type { BalanceChange, BalanceSeen, Loss, MoneyMade };

/**
 * Address of the processor, the API key of this service, and the secret or secrets (comma-separated) of its
 * notifications. `most`: how many requests may be outstanding at once; absent: any number. `foreign`: whether the key is known to be
 * of an account that is not ours. Nothing is sent then, and each call that is not made is noted.
 */
export type ProcessorAccess = {
  url: string;
  secretKey: string;
  notificationSecret: string;
  most?: number;
  foreign?: { isKnown: boolean; note(): void };
};

/** The account whose key it is. `isLive`: with a live key; what is made with a test key is apart. */
export type OwnAccount = { id: string; isLive: boolean };

type Read<Reader extends (object: unknown) => unknown> = NonNullable<ReturnType<Reader>>;

/** A payment intent as the processor reports it. */
export type PaymentSeen = Read<typeof objects.readPayment>;
/** A verification session as the processor reports it. */
export type VerificationSeen = Read<typeof objects.readVerification>;
/** A connected account as the processor reports it. */
export type AccountSeen = Read<typeof objects.readAccount>;
/** A payout to a bank as the processor reports it. */
export type PayoutSeen = Read<typeof objects.readPayout>;
/** A transfer as the processor reports it. */
export type TransferSeen = Omit<Read<typeof objects.readTransfer>, 'accountId'>;

/**
 * What a connected account holds of a transfer: what it received, without what reversals took back, in the account's own
 * currency, and from when it can be paid out. `reversedCents`: how much of the transfer is reversed, in the transfer's currency.
 */
export type Holding = {
  arrivalId: string;
  heldCents: number;
  currency: string;
  availableAtMs: number;
  reversedCents: number;
  /** What the account received, and gave back (negative), each with its own id and the processor's time. */
  movements: { id: string; net: number; atMs: number }[];
};

/**
 * The data of a notification that the service acts on. It contains no personal data. `unreadable`: the event is about
 * an object that the service follows, but a member is missing or impossible. `of`: what it is about. `object`: the id by which
 * our rows would name it, if it has one.
 */
export type Fact =
  | ({ about: 'payment' } & Omit<PaymentSeen, 'clientSecret' | 'paidAtMs'>)
  | { about: 'charge'; processorId: string; loss: Loss }
  | { about: 'warning'; processorId: string; isActionable: boolean }
  | ({ about: 'verification' } & Omit<VerificationSeen, 'url' | 'clientSecret'>)
  | ({ about: 'account' } & AccountSeen)
  | { about: 'deauthorization'; accountId: string }
  | ({ about: 'payout'; accountId: string } & PayoutSeen)
  | ({ about: 'transfer'; accountId: string } & TransferSeen)
  | { about: 'unreadable'; of: string | null; object: string | null }
  | { about: 'nothing' };

/** One event of the processor. `atMs` comes from the processor's clock, with a resolution of 1 second. */
export type ProcessorEvent = { id: string; type: string; atMs: number; fact: Fact };

/** A page of events, newest first. `next` is the cursor of the following page: the id of its last event. */
export type EventPage = { events: ProcessorEvent[]; next: string | null };

/** A payment intent to create. */
export type NewPayment = { paymentId: PaymentId; userId: UserId; appId: AppId; amountCents: number; currency: string };
/** A verification session to create. */
export type NewVerification = { userId: UserId; appId: AppId; withSelfie: boolean; returnUrl: string | null };
/** A connected account to create. `isAbroad`: in another country than the platform. */
export type NewAccount = { userId: UserId; appId: AppId; country: string; isAbroad: boolean };
type NewLink = { accountId: string; returnUrl: string; refreshUrl: string };
/** A transfer or a payout to create. */
export type NewTransfer = { payoutId: PayoutId; accountId: string; amountCents: number; currency: string };
type NewReversal = { payoutId: PayoutId; transferId: string; amountCents: number; currency: string };
/**
 * A movement of a payout's money to look for: what was sent under `key`, not before `sinceMs` (epoch ms). With `isPresumed`, a transfer or a payout
 * to the bank may also be found by the id of its payout, under whatever key, unless it is one of `knownIds`; a transfer also if it went to another
 * account: then the result is `unreadable`.
 */
export type MovementSought = NewTransfer & {
  isPresumed?: boolean;
  knownIds?: readonly string[];
  step: 'transfer' | 'payout' | 'reversal';
  key: string;
  transferId: string | null;
  sinceMs: number;
};
/** A refund to look for: of a payment intent, made under `key`. */
export type RefundSought = { processorId: string; key: string };
/** A payment intent to look for: made under `key`, not before `sinceMs` (epoch ms). */
export type CheckoutSought = { key: string; sinceMs: number };
/** A movement that was made, as the processor reports it. */
export type MovementSeen = Seen<typeof objects.movement>;

/**
 * The card payment processor. `key` of a write is the intent's id, used as idempotency key: for at least 24 hours the
 * same call with the same key has its effect once and returns the same response.
 */
export type Processor = {
  findOwnAccount(): Promise<ReadResult<OwnAccount>>;
  createPayment(requested: NewPayment, key: string): Promise<UpstreamResult<PaymentSeen>>;
  findPayment(processorId: string): Promise<ReadResult<PaymentSeen>>;
  /** Refunds the remaining amount of a payment. */
  refund(requested: { processorId: string; paymentId: PaymentId }, key: string): Promise<UpstreamResult<Loss>>;
  createVerification(requested: NewVerification, key: string): Promise<UpstreamResult<VerificationSeen>>;
  findVerification(sessionId: string): Promise<ReadResult<VerificationSeen>>;
  createAccount(requested: NewAccount, key: string): Promise<UpstreamResult<AccountSeen>>;
  /** `absent`: it does not exist, or has left the platform. */
  findAccount(accountId: string): Promise<ReadResult<AccountSeen>>;
  createLink(requested: NewLink, key: string): Promise<UpstreamResult<{ url: string }>>;
  /** Moves money from the platform to a connected account. */
  transfer(requested: NewTransfer, key: string): Promise<UpstreamResult<MovementSeen>>;
  /** Takes money of a transfer back from the connected account. */
  reverse(requested: NewReversal, key: string): Promise<UpstreamResult<MovementSeen>>;
  /** Reads what a connected account holds of a transfer. */
  findHolding(transferId: string, accountId: string): Promise<ReadResult<Holding>>;
  /** Sends money from a connected account to its bank. */
  payOut(requested: NewTransfer, key: string): Promise<UpstreamResult<MovementSeen>>;
  findPayout(processorPayoutId: string, accountId: string): Promise<ReadResult<PayoutSeen>>;
  /** Looks through the whole list in which a movement would be. `absent` only if the list was read to its end. */
  findMovement(sought: MovementSought): Promise<ReadResult<MovementSeen>>;
  /** Looks through the refunds of a payment. `absent` only if the list was read to its end. */
  findRefund(sought: RefundSought): Promise<ReadResult<Loss>>;
  /** Looks through the payment intents created since then. `absent` only if the list was read to its end. */
  findCheckout(sought: CheckoutSought): Promise<ReadResult<PaymentSeen>>;
  /** All payment intents and transfers of this service since then, up to 50,000 of each. */
  listMoneyMade(sinceMs: number): Promise<ReadResult<MoneyMade[]>>;
  /** What a connected account has. */
  findBalance(accountId: string): Promise<ReadResult<BalanceSeen[]>>;
  /** What changed the platform's balance since then, up to 100,000 changes. */
  listBalanceChanges(sinceMs: number): Promise<ReadResult<BalanceChanges>>;
  /** Events since `sinceMs`, newest first: the platform's own, or those of a connected account. */
  listEvents(sinceMs: number, after: string | null, accountId?: string): Promise<ReadResult<EventPage>>;
  /**
   * Reads a notification. `unsigned`: the processor did not sign these bytes within the last 300 seconds. `unreadable`:
   * it did, but they are not an event with an id.
   */
  readNotification(raw: string, signature: string): ProcessorEvent | 'unsigned' | 'unreadable';
};
