import type Stripe from 'stripe';
import type { AccountSeen, Fact, PaymentSeen, PayoutSeen, ProcessorEvent, VerificationSeen } from './types.ts';

/** An event reduced to what we act on. */
export const readEvent = (event: Stripe.Event): ProcessorEvent => ({
  id: event.id,
  type: event.type,
  atMs: event.created * 1000,
  fact: readFact(event),
});

/** Events about objects that are found again by their id alone: one without it is about nothing of ours. */
const FOLLOWED_BY_ID = /^(payment_intent|identity\.verification_session|account)\./;

/** The processor's word on the objects we follow; all others are about nothing of ours. */
function readFact({ type, data }: Stripe.Event): Fact {
  if (FOLLOWED_BY_ID.test(type) && typeof (data.object as { id?: unknown }).id !== 'string')
    return { about: 'nothing' };
  if (type.startsWith('payment_intent.')) {
    const { clientSecret: _, ...seen } = readPayment(data.object as Stripe.PaymentIntent); // as: told by the event's type
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

/** A payment intent as the processor shows it. */
export const readPayment = (seen: Stripe.PaymentIntent): PaymentSeen => ({
  processorId: seen.id,
  paymentId: seen.metadata?.payment_id ?? null,
  clientSecret: seen.client_secret,
  status: seen.status,
  receivedCents: seen.amount_received,
  currency: seen.currency,
  failure: seen.last_payment_error?.decline_code ?? seen.last_payment_error?.code ?? null,
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

/** A verification session as the processor shows it. */
export const readVerification = (seen: Stripe.Identity.VerificationSession): VerificationSeen => ({
  sessionId: seen.id,
  userId: seen.metadata?.user_id ?? null,
  status: seen.status,
  failure: seen.last_error?.code ?? null,
  url: seen.url,
  clientSecret: seen.client_secret,
});

/** A connected account as the processor shows it; of its bank only the name and the last digits. */
export const readAccount = (seen: Stripe.Account): AccountSeen => {
  const bank = seen.external_accounts?.data.find((each) => each.object === 'bank_account');
  return {
    accountId: seen.id,
    payoutsEnabled: seen.payouts_enabled,
    chargesEnabled: seen.charges_enabled,
    detailsSubmitted: seen.details_submitted,
    country: seen.country ?? null,
    bankName: bank?.bank_name ?? null,
    last4: bank?.last4 ?? null,
  };
};

/** A payout as the processor shows it. */
export const readPayout = (seen: Stripe.Payout): PayoutSeen => ({
  payoutId: seen.metadata?.payout_id ?? null,
  status: seen.status,
  failure: seen.failure_code,
});

const readReversal = ({ metadata }: Stripe.Transfer): Fact => ({
  about: 'payout',
  payoutId: metadata?.payout_id ?? null,
  status: 'reversed',
  failure: 'transfer_reversed',
});
