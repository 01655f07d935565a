import type { components } from '../contract/types.ts';
import type { Handler } from '../edge/handler.ts';
import { pendingHeaders, resultOf, shownIntent } from '../intents/answers.ts';
import { findHidden } from '../intents/hidden.ts';
import { findIntent } from '../intents/read.ts';
import { appOf, userOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Sealer } from '../kernel/seal.ts';
import { processorOf } from '../runtime.ts';
import { checkOut as acceptCheckout, takeEvents } from './intents.ts';
import { findPaymentOfIntent, findPaymentShown, listTiers as findTiers, type Payment } from './queries.ts';
import { shownStatus } from './rules.ts';
import { openSecret } from './secrets.ts';

type Status = components['schemas']['PaymentStatus'];

export const listTiers: Handler<'listTiers'> = async ({ runtime }) => ({
  status: 200,
  body: [...(await findTiers(runtime.db))],
});

export const checkOut: Handler<'checkOut'> = async (call) => {
  const { acceptCheckout: accept, config, db, sealer } = call.runtime;
  const { owner, userId } = userOf(call.principal);
  processorOf(call.runtime);
  const who = { accept, asking: call.asking, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const accepted = await acceptCheckout(who, userId, { ...call.body, currency: call.body.currency ?? 'usd' });
  const intent = await call.settled(accepted);
  const isMade = resultOf(intent) !== null;
  const payment = await findPaymentOfIntent(db, owner, userId, intent.id);
  if (!payment) throw new Error('An accepted checkout has no payment');
  if (isMade) return { status: 200, body: shownCheckout(payment, sealer), headers: { 'Cache-Control': 'no-store' } };
  return { status: 202, body: shownCheckout(payment, sealer), headers: pendingHeaders(`/v2/payments/${payment.id}`) };
};

const shownCheckout = (payment: Payment, sealer: Sealer) => ({
  payment_id: payment.id,
  processor_payment_intent_id: payment.processor_payment_intent_id,
  client_secret: openSecret(sealer, payment),
  amount_cents: payment.amount_cents,
  currency: payment.currency,
  status: statusOf(payment),
});

const statusOf = (payment: Payment): Status =>
  shownStatus({
    status: payment.status,
    refundedCents: payment.refunded_cents,
    isDisputed: payment.is_disputed,
  }) as Status; // as: a constraint of the table holds it to these words

export const getPayment: Handler<'getPayment'> = async ({ runtime, principal, path }) => {
  const { owner, userId } = userOf(principal);
  const payment = await findPaymentShown(runtime.db, owner, userId, path.payment_id);
  if (!payment) throw new Refusal('V2_PAYMENT_UNKNOWN');
  const { payment_id: id, ...shown } = shownCheckout(payment, runtime.sealer);
  const { tier_id, market, prop_account_id, timeline } = payment;
  return {
    status: 200,
    body: { id, ...shown, tier_id, market, prop_account_id, timeline },
    headers: { 'Cache-Control': 'no-store' },
  };
};

export const takeProcessorNotification: Handler<'takeProcessorNotification'> = async (call) => {
  const { 'Stripe-Signature': signature } = call.header;
  const event = processorOf(call.runtime).readNotification(call.raw, signature);
  if (!event) throw new Refusal('V2_SIGNATURE_INVALID', { effect: 'none', headers: { 'WWW-Authenticate': CHALLENGE } });
  await takeEvents(call.runtime.db, [event], 'notified');
  return { status: 200, body: { received: true } };
};

const CHALLENGE = 'Signature realm="v2 processor"';

export const getAppIntent: Handler<'getAppIntent'> = async ({ runtime, principal, path }) => {
  const intent = await findIntent(runtime.db, appOf(principal).owner, path.intent_id.toLowerCase());
  if (!intent) throw new Refusal('INTENT_UNKNOWN');
  const shown = shownIntent(intent);
  const hidden = shown.result && (await findHidden(runtime, intent.id));
  return {
    status: 200,
    body: { ...shown, result: shown.result && { ...shown.result, ...hidden } },
    headers: { 'Intent-Id': intent.id, 'Cache-Control': 'no-store' },
  };
};
