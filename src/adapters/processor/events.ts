import type Stripe from 'stripe';
import type { AccountSeen, Fact, PaymentSeen, PayoutSeen, ProcessorEvent, VerificationSeen } from './types.ts';

/** Reduces an event to the data that the service acts on. */
export const readEvent = (event: Stripe.Event): ProcessorEvent => ({
  id: event.id,
  type: event.type,
  atMs: event.created * 1000,
  fact: readFact(event),
});

/** Events about objects that are matched by their id alone. Without an id the event is ignored. */
const FOLLOWED_BY_ID = /^(payment_intent|identity\.verification_session|account)\./;

/** The state of an object that the service follows. All other objects are `nothing`. */
function readFact({ type, data }: Stripe.Event): Fact {
  if (FOLLOWED_BY_ID.test(type) && typeof (data.object as { id?: unknown }).id !== 'string')
    return { about: 'nothing' };
  if (type.startsWith('payment_intent.')) {
    const { clientSecret: _, ...seen } = readPayment(data.object as Stripe.PaymentIntent); // as: implied by the event's type
    return { about: 'payment', ...seen };
  }
  if (type === 'charge.refunded') return readCharge(data.object as Stripe.Charge);
  if (type.startsWith('charge.dispute.')) return readDispute(data.object as Stripe.Dispute);
  if (type.startsWith('identity.verification_session.')) {
    const { url: _, clientSecret: __, ...seen } = readVerification(data.object as Stripe.Identity.VerificationSession);
    return { about: 'verification', ...seen };
  }
  if (type === 'account.updated') return { about: 'account', ...readAccount(data.object as Stripe.Account) };
  if (type.startsWith('payout.')) return { about: 'payout', ...readPayout(data.object as Stripe.Payout) };
  if (type === 'transfer.reversed') return readReversal(data.object as Stripe.Transfer);
  return { about: 'nothing' };
}

/** Reads a payment intent. */
export const readPayment = (object: Stripe.PaymentIntent): PaymentSeen => ({
  processorId: object.id,
  paymentId: object.metadata?.payment_id ?? null,
  clientSecret: object.client_secret,
  status: object.status,
  receivedCents: object.amount_received,
  currency: object.currency,
  failure: object.last_payment_error?.decline_code ?? object.last_payment_error?.code ?? null,
});

const readCharge = ({ payment_intent, amount_refunded }: Stripe.Charge): Fact =>
  payment_intent === null
    ? { about: 'nothing' }
    : { about: 'charge', processorId: idOf(payment_intent), refundedCents: amount_refunded, disputed: false };

const readDispute = ({ payment_intent }: Stripe.Dispute): Fact =>
  payment_intent === null
    ? { about: 'nothing' }
    : { about: 'charge', processorId: idOf(payment_intent), refundedCents: 0, disputed: true };

const idOf = (expandable: string | { id: string }): string =>
  typeof expandable === 'string' ? expandable : expandable.id;

/** Reads a verification session. */
export const readVerification = (object: Stripe.Identity.VerificationSession): VerificationSeen => ({
  sessionId: object.id,
  userId: object.metadata?.user_id ?? null,
  status: object.status,
  failure: object.last_error?.code ?? null,
  url: object.url,
  clientSecret: object.client_secret,
});

/** Reads a connected account. Of its bank account it takes only the bank's name and the last digits. */
export const readAccount = (object: Stripe.Account): AccountSeen => {
  const bank = object.external_accounts?.data.find((each) => each.object === 'bank_account');
  return {
    accountId: object.id,
    payoutsEnabled: object.payouts_enabled,
    chargesEnabled: object.charges_enabled,
    detailsSubmitted: object.details_submitted,
    country: object.country ?? null,
    bankName: bank?.bank_name ?? null,
    last4: bank?.last4 ?? null,
  };
};

/** Reads a payout. */
export const readPayout = (object: Stripe.Payout): PayoutSeen => ({
  payoutId: object.metadata?.payout_id ?? null,
  status: object.status,
  failure: object.failure_code,
});

const readReversal = ({ metadata }: Stripe.Transfer): Fact => ({
  about: 'payout',
  payoutId: metadata?.payout_id ?? null,
  status: 'reversed',
  failure: 'transfer_reversed',
});
