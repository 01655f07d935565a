import { randomBytes } from 'node:crypto';
import type { Ledger } from '../ledger.ts';
import type { Reported } from '../upstream.ts';

type Metadata = Record<string, string>;

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
  metadata: Metadata;
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
  charges_enabled: boolean;
  details_submitted: boolean;
  external_accounts: { object: 'list'; data: object[] };
  metadata: Metadata;
  balance: number;
};
type Payout = {
  id: string;
  object: 'payout';
  amount: number;
  currency: string;
  status: string;
  failure_code: string | null;
  metadata: Metadata;
  account: string;
};
type Transfer = {
  id: string;
  object: 'transfer';
  amount: number;
  currency: string;
  destination: string;
  metadata: Metadata;
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
  refunded: Map<string, number>;
  sessions: Map<string, VerificationSession>;
  accounts: Map<string, Account>;
  transfers: Map<string, Transfer>;
  payouts: Map<string, Payout>;
  events: Event[];
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
