import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Ledger } from '../ledger.ts';
import type { Reported } from '../upstream.ts';

export type Metadata = Record<string, string>;

/** Objects of the processor's API, each with only the members that this service reads. */
export type PaymentIntent = {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  currency: string;
  status: string;
  client_secret: string;
  created: number;
  last_payment_error: { code: string; decline_code: string } | null;
  latest_charge: string | null;
  /** When it was paid. */
  charged: number | null;
  metadata: Metadata;
};
export type Refund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'charge' | 'created' | 'currency' | 'metadata' | 'payment_intent' | 'status'
>;
export type Dispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'charge' | 'created' | 'currency' | 'payment_intent' | 'status'
> & {
  /** What it took and gave back, in the currency of the platform's balance. */
  balance_transactions: { amount: number }[];
};
export type VerificationSession = {
  id: string;
  object: 'identity.verification_session';
  status: string;
  client_secret: string | null;
  url: string | null;
  last_error: { code: string; reason: string } | null;
  created: number;
  metadata: Metadata;
};
export type Account = {
  id: string;
  object: 'account';
  country: string;
  payouts_enabled: boolean;
  capabilities: { transfers: 'active' | 'inactive' };
  charges_enabled: boolean;
  details_submitted: boolean;
  external_accounts: { object: 'list'; data: object[] };
  metadata: Metadata;
  /** It has left the platform. */
  isGone?: boolean;
  /** Available, by currency. */
  balances: Record<string, number>;
};
export type Payout = Pick<
  Stripe.Payout,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'status' | 'failure_code' | 'metadata'
> & {
  account: string;
  reversed_by: string | null;
  original_payout: string | null;
};
export type Transfer = Pick<
  Stripe.Transfer,
  'id' | 'object' | 'amount' | 'amount_reversed' | 'created' | 'currency' | 'metadata' | 'reversed' | 'transfer_group'
> & { destination: string; destination_payment: string };
export type Reversal = Pick<
  Stripe.TransferReversal,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'metadata'
> & {
  transfer: string;
};
/**
 * What a connected account received by a transfer, in its own currency: available at once, or a day later in another country.
 * `refunds`: what reversals of the transfer took back, newest first.
 */
export type Arrival = {
  id: string;
  object: 'charge';
  account: string;
  amount: number;
  isCredited: boolean;
  balance_transaction: { net: number; currency: string; created: number; available_on: number };
  refunds: { id: string; object: 'refund'; balance_transaction: { net: number; currency: string; created: number } }[];
};
/**
 * What changed a balance: the platform's (`account` null) or a connected account's. `source`: the object that did. The amount is
 * in the currency of the balance; `exchange_rate` is set where that is another one than the object's.
 */
export type BalanceTransaction = {
  id: string;
  object: 'balance_transaction';
  account: string | null;
  amount: number;
  fee: number;
  net: number;
  currency: string;
  exchange_rate: number | null;
  created: number;
  type: string;
  source: { id: string; object: string } & Record<string, unknown>;
};

export type Event = {
  id: string;
  object: 'event';
  type: string;
  created: number;
  livemode: boolean;
  account?: string;
  data: { object: object };
};

/** State of the processor. */
export type World = {
  ledger: Ledger;
  /** Base URL of its pages. */
  baseUrl: () => string;
  payments: Map<string, PaymentIntent>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  sessions: Map<string, VerificationSession>;
  accounts: Map<string, Account>;
  transfers: Map<string, Transfer>;
  reversals: Map<string, Reversal>;
  payouts: Map<string, Payout>;
  arrivals: Map<string, Arrival>;
  /** What changed balances, oldest first. */
  balance: BalanceTransaction[];
  /**
   * `refundStatus`: the status that a refund has at first. `country`: of the platform. `available`: what it may transfer; null: enough.
   * `settles`: the one currency of its balance; null: each has one. `leastPayout`: the bank gets no less.
   */
  settings: {
    refundStatus: string;
    country: string;
    available: number | null;
    settles: string | null;
    leastPayout: number;
  };
  events: Event[];
  /** Does something later, as people and banks do. */
  after(ms: number, act: () => void): void;
  /** Records an event and sends its notification. */
  emit(type: string, object: object, account?: string): void;
};

/** A new id in the processor's format. */
export const newObjectId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** The current time in epoch seconds, as the processor writes times. */
export const nowS = (): number => Math.floor(Date.now() / 1000);

/** An error response in the processor's format. */
export const rejected = (status: number, code: string, type = 'invalid_request_error'): Reported => ({
  status,
  body: { error: { type, code, message: `Rejected: ${code}` } },
});

/** The error response for an unknown id. */
export const missing = (): Reported => rejected(404, 'resource_missing');

/** The error response for an unknown id in a parameter. */
export const missingIn = (param: string): Reported => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: `Rejected: ${param}`, param } },
});

/** Adds to what an account has available. */
export const credit = ({ balances }: Account, amount: number, currency: string): void => {
  balances[currency] = (balances[currency] ?? 0) + amount;
};
