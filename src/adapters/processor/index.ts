import Stripe from 'stripe';
import { atOnce } from '../../kernel/at-once.ts';
import type { IntentId, PayoutId } from '../../kernel/ids.ts';
import { epochMs } from '../../kernel/work.ts';
import { type HttpClient, httpClient, inTurns, parseJson } from '../http.ts';
import { findBalance, listBalanceChanges } from './balance.ts';
import { readEvent, readEvents } from './events.ts';
import { findHolding } from './holding.ts';
import { pageAfter } from './listing.ts';
import { readRefund } from './losses.ts';
import { listMoneyMade } from './money-made.ts';
import { findCheckout, findMovement, findRefund, readMade } from './movements.ts';
import {
  madeBy,
  opened,
  readAccount,
  readLink,
  readOwnAccount,
  readPayment,
  readPayout,
  readVerification,
} from './objects.ts';
import { readAccountOf, readResultOf, responseOf } from './responses.ts';
import { Transport } from './transport.ts';
import type { NewAccount, NewPayment, NewTransfer, NewVerification, Processor, ProcessorAccess } from './types.ts';

const API_VERSION = '2026-10-28.endive'; // the version that the types of the installed stripe-node describe
const TOLERANCE_S = 300;

const send = httpClient();

/**
 * Client of the processor, built on stripe-node. Expected faults are results, not exceptions. It never resends by
 * itself.
 */
export const processor = ({ url, secretKey, notificationSecret, most, foreign }: ProcessorAccess): Processor => {
  const toOurs: HttpClient = async (request) => {
    if (!foreign?.isKnown) return send(request);
    foreign.note();
    return FOREIGN;
  };
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION,
    ...addressOf(url),
    httpClient: new Transport(inTurns(toOurs, atOnce(most ?? Number.POSITIVE_INFINITY))),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const isLive = secretKey.includes('_live_'); // the processor's keys name their mode
  const secrets = notificationSecret.split(',').map((secret) => secret.trim()); // several: two endpoints, or a rotation
  return {
    findOwnAccount: () =>
      readResultOf(stripe.accounts.retrieveCurrent(), (object) => {
        const own = readOwnAccount(object);
        return own && { ...own, isLive };
      }),
    createPayment: (requested, key) =>
      responseOf(
        stripe.paymentIntents.create(paymentParams(requested, key), once(key)),
        madeBy('intent_id', key, opened(readPayment, 'clientSecret')),
      ),
    findPayment: (id) => readResultOf(stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }), readPayment),
    refund: ({ processorId, paymentId }, key) => {
      const metadata = { payment_id: paymentId, intent_id: key };
      const made = stripe.refunds.create({ payment_intent: processorId, metadata }, once(key));
      return responseOf(
        made,
        madeBy('intent_id', key, (refund) => readRefund(refund)?.loss ?? null),
      );
    },
    createVerification: (requested, key) =>
      responseOf(
        stripe.identity.verificationSessions.create(verificationParams(requested), once(key)),
        madeBy('user_id', requested.userId, opened(readVerification, 'clientSecret', 'url')),
      ),
    findVerification: (id) => readResultOf(stripe.identity.verificationSessions.retrieve(id), readVerification),
    createAccount: (requested, key) =>
      responseOf(
        stripe.accounts.create(accountParams(requested), once(key)),
        madeBy('user_id', requested.userId, readAccount),
      ),
    findAccount: (id) => readAccountOf(stripe.accounts.retrieve(id), readAccount),
    createLink: ({ accountId: account, returnUrl: return_url, refreshUrl: refresh_url }, key) =>
      responseOf(
        stripe.accountLinks.create({ account, type: 'account_onboarding', return_url, refresh_url }, once(key)),
        readLink,
      ),
    transfer: (requested, key) => {
      const receiver = { destination: requested.accountId, transfer_group: requested.payoutId };
      const made = stripe.transfers.create({ ...amountOf(requested, key), ...receiver }, once(key));
      return responseOf(made, readMade({ ...requested, step: 'transfer' }, key));
    },
    reverse: (requested, key) => {
      const { transferId, amountCents: amount, payoutId } = requested;
      const metadata = stepOf(payoutId, key);
      const made = stripe.transfers.createReversal(transferId, { amount, metadata }, once(key));
      return responseOf(made, readMade({ ...requested, step: 'reversal' }, key));
    },
    findHolding: (transferId, accountId) => findHolding(stripe, transferId, accountId),
    payOut: (requested, key) => {
      const at = { ...once(key), stripeAccount: requested.accountId };
      const made = stripe.payouts.create(amountOf(requested, key), at);
      return responseOf(made, readMade({ ...requested, step: 'payout' }, key));
    },
    findPayout: (id, accountId) =>
      readResultOf(stripe.payouts.retrieve(id, {}, { stripeAccount: accountId }), readPayout),
    findMovement: (sought) => findMovement(stripe, sought),
    findRefund: (sought) => findRefund(stripe, sought),
    findCheckout: (sought) => findCheckout(stripe, sought),
    listMoneyMade: (sinceMs) => listMoneyMade(stripe, sinceMs),
    findBalance: (accountId) => findBalance(stripe, accountId),
    listBalanceChanges: (sinceMs) => listBalanceChanges(stripe, sinceMs),
    listEvents: (sinceMs, after, accountId) =>
      readResultOf(
        stripe.events.list(
          { ...pageAfter(after), created: { gte: Math.floor(sinceMs / 1000) } },
          accountId === undefined ? {} : { stripeAccount: accountId },
        ),
        (page) => readEvents(page, isLive, accountId),
      ),
    readNotification: (raw, signature) =>
      secrets.some((secret) => isSigned(stripe, { raw, signature, secret }))
        ? (readEvent(parseJson(raw), isLive) ?? 'unreadable')
        : 'unsigned',
  };
};

const FOREIGN = { kind: 'unsent', why: 'the key is of another account' } as const;

const once = (idempotencyKey: string) => ({ idempotencyKey });

function addressOf(url: string): { protocol: 'http' | 'https'; host: string; port: string } {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  return { protocol: secure ? 'https' : 'http', host: hostname, port: port || (secure ? '443' : '80') };
}

/** `automatic_payment_methods`: the browser form shows the methods that the platform has enabled. */
const paymentParams = (
  { paymentId, userId, appId, amountCents, currency }: NewPayment,
  key: string,
): Stripe.PaymentIntentCreateParams => ({
  amount: amountCents,
  currency,
  automatic_payment_methods: { enabled: true },
  metadata: { payment_id: paymentId, user_id: userId, app_id: appId, intent_id: key },
});

const verificationParams = ({
  userId,
  appId,
  withSelfie,
  returnUrl,
}: NewVerification): Stripe.Identity.VerificationSessionCreateParams => ({
  type: 'document',
  client_reference_id: userId,
  metadata: { user_id: userId, app_id: appId },
  options: { document: { require_matching_selfie: withSelfie } },
  ...(returnUrl !== null && { return_url: returnUrl }),
});

const accountParams = ({ country, userId, appId, isAbroad }: NewAccount): Stripe.AccountCreateParams => ({
  type: 'express',
  country,
  capabilities: { transfers: { requested: true } },
  // accounts of another country can only be paid under this agreement (docs.stripe.com/connect/service-agreement-types)
  ...(isAbroad && { tos_acceptance: { service_agreement: 'recipient' } }),
  settings: { payouts: { schedule: { interval: 'manual' } } }, // the service sends every payout itself
  metadata: { user_id: userId, app_id: appId },
});

const amountOf = ({ amountCents, currency, payoutId }: NewTransfer, key: string) => ({
  amount: amountCents,
  currency,
  metadata: stepOf(payoutId, key),
});

/** By `intent_id` a movement is found again, also once the processor has forgotten its idempotency key. */
const stepOf = (payout_id: PayoutId, intent_id: IntentId) => ({ payout_id, intent_id });

/** The format of a signature header. stripe-node throws untyped errors for some headers of another format. */
const SIGNATURE = /^t=\d{1,12}(?:,v\d=[0-9a-f]{1,128}){1,10}$/;

/** Whether the processor signed a notification's raw body with this secret, at most 300 s ago. */
function isSigned(
  stripe: Stripe,
  { raw, signature, secret }: { raw: string; signature: string; secret: string },
): boolean {
  if (!SIGNATURE.test(signature)) return false;
  try {
    return stripe.webhooks.signature?.verifyHeader(raw, signature, secret, TOLERANCE_S, undefined, epochMs()) === true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}
