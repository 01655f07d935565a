import type { AppId, IntentId, PaymentId, PayoutId, UserId } from '../../kernel/ids.ts';
import type { ReadResult, UpstreamResult } from '../../kernel/upstream-result.ts';

/**
 * Address of the processor, the API key of this service, and the secret or secrets (comma-separated) of its
 * notifications. `most`: how many requests may be outstanding at once; absent: any number.
 */
export type ProcessorAccess = { url: string; secretKey: string; notificationSecret: string; most?: number };

/** A payment intent as the processor reports it. Amounts are in the currency's smallest unit. */
export type PaymentSeen = {
  processorId: string;
  /** The payment's id in this service, from the payment intent's metadata. */
  paymentId: PaymentId | null;
  clientSecret: string | null;
  status: string;
  receivedCents: number;
  currency: string;
  /** When its charge was made, by the processor's clock, where that is shown. */
  paidAtMs: number | null;
  /** The processor's code for the last failed attempt. */
  failure: string | null;
};

/**
 * An object that takes money from a payment: a charge with the cumulative amount of its refunds, a refund, or a dispute.
 * `madeAtMs` is by the processor's clock. `currency` is null if the processor does not name it.
 */
export type Loss = {
  kind: 'charge' | 'refund' | 'dispute';
  id: string;
  cents: number;
  currency: string | null;
  status: string | null;
  madeAtMs: number | null;
};

/** A loss of a payment. `processorId`: the payment intent, if its charge has one. */
export type LossSeen = { processorId: string | null; loss: Loss };

/** An early fraud warning of a payment. `isActionable`: the processor advises to refund it. */
export type WarningSeen = { processorId: string | null; isActionable: boolean };

/** A verification session. `url` and `clientSecret` are set while the user can still continue it. */
export type VerificationSeen = {
  sessionId: string;
  status: string;
  failure: string | null;
  url: string | null;
  clientSecret: string | null;
};

/** A connected account, which receives a trader's payouts. */
export type AccountSeen = {
  accountId: string;
  payoutsEnabled: boolean;
  chargesEnabled: boolean;
  detailsSubmitted: boolean;
  country: string | null;
  bankName: string | null;
  last4: string | null;
  /** Identifies what its money goes to, more exactly than the two members above. Null: nothing is attached. */
  destination: string | null;
};

/**
 * A payout from a connected account to its bank. `reversedBy`: the payout that takes it back from the bank. The amount of that
 * one is negative, and `originalId` is the payout that it takes back.
 */
export type PayoutSeen = {
  processorPayoutId: string;
  reversedBy: string | null;
  originalId: string | null;
  status: string;
  failure: string | null;
  amountCents: number;
  currency: string;
};

/** A transfer to a connected account. `reversedCents` is cumulative. */
export type TransferSeen = { transferId: string; reversedCents: number; currency: string };

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
  | ({ about: 'warning' } & WarningSeen)
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
type NewAccount = { userId: UserId; appId: AppId; country: string; isAbroad: boolean };
type NewLink = { accountId: string; returnUrl: string; refreshUrl: string };
/** A transfer or a payout to create. */
export type NewTransfer = { payoutId: PayoutId; accountId: string; amountCents: number; currency: string };
type NewReversal = { payoutId: PayoutId; transferId: string; amountCents: number };
/**
 * A movement of a payout's money to look for: what was sent under `key`, not before `sinceMs` (epoch ms). With `isPresumed`, a transfer or
 * a payout to the bank may also be found by the id of its payout, under whatever key; a transfer also where it went to another account: then it is
 * not readable.
 */
export type MovementSought = {
  isPresumed?: boolean;
  step: 'transfer' | 'payout' | 'reversal';
  key: string;
  payoutId: PayoutId;
  accountId: string;
  transferId: string | null;
  amountCents: number;
  currency: string;
  sinceMs: number;
};
/** A refund to look for: of a payment intent, made under `key`. */
export type RefundSought = { processorId: string; key: string };
/** A payment intent to look for: made under `key`, not before `sinceMs` (epoch ms). */
export type CheckoutSought = { key: string; sinceMs: number };
/**
 * Money that one of this service's intents moved: a payment intent, or a transfer to a connected account. `subjectId`: the
 * payment or payout in this service. `cents`: what was requested, or transferred and not reversed.
 */
export type MoneyMade = {
  kind: 'payment' | 'transfer';
  id: string;
  intentId: IntentId;
  subjectId: string;
  cents: number;
  currency: string;
  /** Of a payment. */
  status: string | null;
  /** The connected account of a transfer. */
  accountId: string | null;
  userId: UserId | null;
  appId: AppId | null;
  madeAtMs: number;
};
/** A movement that was made. `arrivalId`: of a transfer, the payment that the account received by it. */
export type MovementSeen = { id: string; arrivalId: string | null } & Made;
/** What an account has of a currency: available, pending and reserved. */
export type BalanceSeen = { currency: string; amount: number };
/**
 * A change of the platform's balance. `objectId`: the payment intent or transfer whose money it is, or the object that made it; null:
 * nothing that this service follows. `madeCents` and `madeCurrency`: its amount in the currency it was made in; `cents` and `currency`: what
 * the balance changed by, before the fee. `rate`: between both.
 */
export type BalanceChange = {
  id: string;
  objectId: string | null;
  cents: number;
  feeCents: number;
  currency: string;
  madeCents: number | null;
  madeCurrency: string | null;
  rate: number | null;
  atMs: number;
};
/** When an object was made, by the processor's clock. */
export type Made = { madeAtMs: number | null };

/**
 * The card payment processor. `key` of a write is the intent's id, used as idempotency key: for at least 24 hours the
 * same call with the same key has its effect once and returns the same response.
 */
export type Processor = {
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
  listBalanceChanges(sinceMs: number): Promise<ReadResult<BalanceChange[]>>;
  /** Events since `sinceMs`, newest first: the platform's own, or those of a connected account. */
  listEvents(sinceMs: number, after: string | null, accountId?: string): Promise<ReadResult<EventPage>>;
  /**
   * Reads a notification. `unsigned`: the processor did not sign these bytes within the last 300 seconds. `unreadable`:
   * it did, but they are not an event with an id.
   */
  readNotification(raw: string, signature: string): ProcessorEvent | 'unsigned' | 'unreadable';
};
