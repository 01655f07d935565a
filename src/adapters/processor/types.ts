import type { Answer, Lookup } from '../../kernel/answer.ts';

/** Where the processor lives, the key it knows us by, and the secret it signs its notifications with. */
export type ProcessorAccess = { url: string; secretKey: string; notificationSecret: string };

/** A payment intent as the processor shows it. Amounts in the currency's smallest unit. */
export type PaymentSeen = {
  processorId: string;
  /** Our own id, from the metadata the payment intent was made with. */
  paymentId: string | null;
  clientSecret: string | null;
  status: string;
  receivedCents: number;
  currency: string;
  /** Why its last try failed, as the processor's code. */
  failure: string | null;
};

/** A verification session; `url` and `clientSecret` are shown while the user can still go on with it. */
export type VerificationSeen = {
  sessionId: string;
  userId: string | null;
  status: string;
  failure: string | null;
  url: string | null;
  clientSecret: string | null;
};

/** A connected account that a trader is paid out to. */
export type AccountSeen = {
  accountId: string;
  payoutsEnabled: boolean;
  chargesEnabled: boolean;
  detailsSubmitted: boolean;
  country: string | null;
  bankName: string | null;
  last4: string | null;
};

/** A payout from a connected account to its bank, or the transfer before it, taken back. */
export type PayoutSeen = { payoutId: string | null; status: string; failure: string | null };

/** What a notification says, reduced to what we act on; nothing personal is in it. */
export type Fact =
  | ({ about: 'payment' } & Omit<PaymentSeen, 'clientSecret'>)
  | { about: 'charge'; processorId: string; refundedCents: number; disputed: boolean }
  | ({ about: 'verification' } & Omit<VerificationSeen, 'url' | 'clientSecret'>)
  | ({ about: 'account' } & AccountSeen)
  | ({ about: 'payout' } & PayoutSeen)
  | { about: 'nothing' };

/** One event of the processor; `atMs` is by its own clock, to the second. */
export type ProcessorEvent = { id: string; type: string; atMs: number; fact: Fact };

/** A page of events, newest first; `next` asks for the one behind it. */
type EventPage = { events: ProcessorEvent[]; next: string | null };

export type NewPayment = { paymentId: string; userId: string; appId: string; amountCents: number; currency: string };
export type NewVerification = { userId: string; appId: string; withSelfie: boolean; returnUrl: string | null };
export type NewAccount = { userId: string; appId: string; country: string };
export type NewLink = { accountId: string; returnUrl: string; refreshUrl: string };
export type NewTransfer = { payoutId: string; accountId: string; amountCents: number; currency: string };

/**
 * The card payment processor. Writes take the intent's id as idempotency key: the same call under the same key has its
 * effect once and gives the same answer, for at least 24 hours.
 */
export type Processor = {
  createPayment(asked: NewPayment, key: string): Promise<Answer<PaymentSeen>>;
  findPayment(processorId: string): Promise<Lookup<PaymentSeen>>;
  /** Gives back what is left of a payment. */
  refund(
    asked: { processorId: string; paymentId: string },
    key: string,
  ): Promise<Answer<{ refundId: string; refundedCents: number }>>;
  createVerification(asked: NewVerification, key: string): Promise<Answer<VerificationSeen>>;
  findVerification(sessionId: string): Promise<Lookup<VerificationSeen>>;
  createAccount(asked: NewAccount, key: string): Promise<Answer<AccountSeen>>;
  findAccount(accountId: string): Promise<Lookup<AccountSeen>>;
  createLink(asked: NewLink, key: string): Promise<Answer<{ url: string }>>;
  /** Moves money from the platform to a connected account. */
  transfer(asked: NewTransfer, key: string): Promise<Answer<{ transferId: string }>>;
  /** Sends money from a connected account to its bank. */
  payOut(asked: NewTransfer, key: string): Promise<Answer<{ processorPayoutId: string }>>;
  findPayout(processorPayoutId: string, accountId: string): Promise<Lookup<PayoutSeen>>;
  /** Events since a moment, newest first; those of connected accounts are not among them. */
  listEvents(sinceMs: number, after: string | null): Promise<Lookup<EventPage>>;
  /** The event of a notification. Null unless the processor signed these bytes within the last 300 seconds. */
  readNotification(raw: string, signature: string): ProcessorEvent | null;
};
