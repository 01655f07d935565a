import Stripe from 'stripe';
import { httpClient } from '../http.ts';
import { answerOf, lookupOf } from './answers.ts';
import { readAccount, readEvent, readPayment, readPayout, readVerification } from './events.ts';
import { Transport } from './transport.ts';
import type { NewPayment, NewTransfer, NewVerification, Processor, ProcessorAccess, ProcessorEvent } from './types.ts';

const API_VERSION = '2026-10-28.endive'; // what the types of the installed stripe-node describe
const TOLERANCE_S = 300;
const PAGE_SIZE = 100; // the most the processor lists at once

const send = httpClient();

/** Speaks with the processor through stripe-node. Foreseen faults come back as answers; nothing is sent twice by itself. */
export const processor = ({ url, secretKey, notificationSecret }: ProcessorAccess): Processor => {
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    ...addressOf(url),
    httpClient: new Transport(send),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const secrets = notificationSecret.split(',').map((secret) => secret.trim()); // an endpoint of its own for connected accounts, or a new secret beside the old
  return {
    createPayment: (asked, idempotencyKey) =>
      answerOf(stripe.paymentIntents.create(paymentParams(asked), { idempotencyKey }), readPayment),
    findPayment: (id) => lookupOf(stripe.paymentIntents.retrieve(id), readPayment),
    refund: ({ processorId, paymentId }, idempotencyKey) =>
      answerOf(
        stripe.refunds.create({ payment_intent: processorId, metadata: { payment_id: paymentId } }, { idempotencyKey }),
        ({ id, amount }) => ({ refundId: id, refundedCents: amount }),
      ),
    createVerification: (asked, idempotencyKey) =>
      answerOf(
        stripe.identity.verificationSessions.create(verificationParams(asked), { idempotencyKey }),
        readVerification,
      ),
    findVerification: (id) => lookupOf(stripe.identity.verificationSessions.retrieve(id), readVerification),
    createAccount: ({ country, userId, appId }, idempotencyKey) =>
      answerOf(
        stripe.accounts.create(
          {
            type: 'express',
            country,
            capabilities: { transfers: { requested: true } },
            settings: { payouts: { schedule: { interval: 'manual' } } }, // each payout is sent by us, under its own name
            metadata: { user_id: userId, app_id: appId },
          },
          { idempotencyKey },
        ),
        readAccount,
      ),
    findAccount: (id) => lookupOf(stripe.accounts.retrieve(id), readAccount),
    createLink: ({ accountId, returnUrl, refreshUrl }, idempotencyKey) =>
      answerOf(
        stripe.accountLinks.create(
          { account: accountId, type: 'account_onboarding', return_url: returnUrl, refresh_url: refreshUrl },
          { idempotencyKey },
        ),
        (link) => ({ url: link.url }),
      ),
    transfer: (asked, idempotencyKey) =>
      answerOf(
        stripe.transfers.create({ ...amountOf(asked), destination: asked.accountId }, { idempotencyKey }),
        ({ id }) => ({ transferId: id }),
      ),
    payOut: (asked, idempotencyKey) =>
      answerOf(
        stripe.payouts.create(amountOf(asked), { idempotencyKey, stripeAccount: asked.accountId }),
        ({ id }) => ({
          processorPayoutId: id,
        }),
      ),
    findPayout: (id, accountId) => lookupOf(stripe.payouts.retrieve(id, {}, { stripeAccount: accountId }), readPayout),
    listEvents: (sinceMs, after) =>
      lookupOf(
        stripe.events.list({
          created: { gte: Math.floor(sinceMs / 1000) },
          limit: PAGE_SIZE,
          ...(after !== null && { starting_after: after }),
        }),
        ({ data, has_more }) => ({ events: data.map(readEvent), next: has_more ? (data.at(-1)?.id ?? null) : null }),
      ),
    readNotification: (raw, signature) =>
      firstOf(secrets, (secret) => readNotification(stripe, raw, signature, secret)),
  };
};

function addressOf(url: string): { protocol: 'http' | 'https'; host: string; port: string } {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  return { protocol: secure ? 'https' : 'http', host: hostname, port: port || (secure ? '443' : '80') };
}

/** `automatic_payment_methods`: the browser's form shows what the platform has enabled. */
const paymentParams = ({ paymentId, userId, appId, amountCents, currency }: NewPayment) => ({
  amount: amountCents,
  currency,
  automatic_payment_methods: { enabled: true },
  metadata: { payment_id: paymentId, user_id: userId, app_id: appId },
});

const verificationParams = ({ userId, appId, withSelfie, returnUrl }: NewVerification) => ({
  type: 'document' as const,
  client_reference_id: userId,
  metadata: { user_id: userId, app_id: appId },
  options: { document: { require_matching_selfie: withSelfie } },
  ...(returnUrl !== null && { return_url: returnUrl }),
});

const amountOf = ({ amountCents, currency, payoutId }: NewTransfer) => ({
  amount: amountCents,
  currency,
  metadata: { payout_id: payoutId },
});

/** The shape of a signature; stripe-node throws bare errors for some headers without it. */
const SIGNATURE = /^t=\d{1,12}(?:,v\d=[0-9a-f]{1,128}){1,10}$/;

function readNotification(stripe: Stripe, raw: string, signature: string, secret: string): ProcessorEvent | null {
  if (!SIGNATURE.test(signature)) return null;
  try {
    return readEvent(stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_S));
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return null;
    throw error;
  }
}

function firstOf<T, R>(items: readonly T[], read: (item: T) => R | null): R | null {
  for (const item of items) {
    const result = read(item);
    if (result !== null) return result;
  }
  return null;
}
