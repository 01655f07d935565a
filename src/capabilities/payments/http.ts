import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { SubmitDeps } from '../../intents/accept.ts';
import { spendDaily } from '../../intents/daily-budgets.ts';
import { findIntent, hasSucceeded, intentOfV2, pendingHeaders } from '../../intents/follow.ts';
import { findSealed } from '../../intents/sealed-results.ts';
import { ApiError } from '../../kernel/errors.ts';
import { listPage, pageInOrder } from '../../kernel/pages.ts';
import { appOf, covers, type Principal, userOf } from '../../kernel/principal.ts';
import { requireValue } from '../../kernel/require.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { takeEvents } from './commands.ts';
import { checkOut as acceptCheckout, type NewCheckout } from './intents.ts';
import type { Payment } from './queries.ts';
import * as queries from './queries.ts';
import { openSecret } from './store.ts';

type Deps = SubmitDeps<'acceptCheckout', NewCheckout, 'CHECKOUT_DEADLINE_MS'> & {
  sealer: Sealer;
  processor: Processor | null;
  log: Pick<Logger, 'error'>;
};

/** Handles `GET /v2/tiers`: list the tiers on sale. */
export const listTiers: Handler<'listTiers', Deps> = async ({ deps, query }) =>
  pageInOrder(query, queries.tierPages('/v2/tiers'), await queries.listTiers(deps.db));

/** Handles `POST /v2/payments/checkout`: begin the payment for a challenge account. */
export const checkOut: Handler<'checkOut', Deps> = async (call) => {
  const { acceptCheckout: accept, config, db, sealer } = call.deps;
  const { owner, userId } = userOf(call.principal);
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  await spendDaily(call, { checkouts_per_user: userId, checkouts: owner });
  const context = { accept, context: call.context, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const accepted = await acceptCheckout(context, userId, call.body);
  const intent = await call.settled(accepted);
  const isMade = hasSucceeded(intent); // throws its problem
  const payment = await queries.findPaymentOfIntent(db, owner, userId, intent.id);
  if (!payment) throw new Error('An accepted checkout has no payment');
  const body = shownCheckout(payment, sealer);
  if (isMade) return { status: 200, body, headers: { 'Cache-Control': 'no-store' } };
  return { status: 202, body, headers: pendingHeaders(`/v2/payments/${payment.id}`, intent) };
};

const shownCheckout = (payment: Payment, sealer: Sealer) => ({
  payment_id: payment.id,
  processor_payment_intent_id: payment.processor_payment_intent_id,
  client_secret: openSecret(sealer, payment),
  amount_cents: payment.amount_cents,
  currency: payment.currency,
  status: payment.state,
});

/** Handles `GET /v2/payments/{payment_id}`: read a payment. A token that may only read is not shown by what it can be paid. */
export const getPayment: Handler<'getPayment', Deps> = async ({ deps, principal, path }) => {
  const { owner, userId, app } = userOf(principal);
  const payment = await queries.findPaymentShown(deps.db, owner, userId, path.payment_id);
  if (!payment) throw new ApiError('V2_PAYMENT_UNKNOWN');
  const { payment_id: id, ...checkout } = shownCheckout(payment, deps.sealer);
  const shown = covers(app.scopes, 'api') ? checkout : { ...checkout, client_secret: null };
  const { tier_id, market, prop_account_id, timeline, received_cents, refunded_cents, disputed_cents } = payment;
  return {
    status: 200,
    body: { id, ...shown, received_cents, refunded_cents, disputed_cents, tier_id, market, prop_account_id, timeline },
    headers: { 'Cache-Control': 'no-store' },
  };
};

/** Handles `POST /v2/webhooks/processor`: receive a notification of the payment processor. */
export const takeProcessorNotification: Handler<'takeProcessorNotification', Deps> = async (call) => {
  const processor = requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const event = processor.readNotification(call.raw, call.header['Stripe-Signature']);
  if (event === 'unsigned') throw new ApiError('V2_SIGNATURE_INVALID', { effect: 'none' });
  if (event === 'unreadable') throw new ApiError('INVALID_REQUEST', { effect: 'none' });
  await takeEvents(call.deps.db, [event]);
  return { status: 200, body: { received: true } };
};

/**
 * Handles `GET /v2/intents/{intent_id}`: read one of the app's intents. Whoever has the sealed members can act as the user: a token
 * that may only read is shown none.
 */
export const getAppIntent: Handler<'getAppIntent', Deps> = async ({ deps, principal, path }) => {
  const { owner, scopes } = appOf(principal);
  const intent = await findIntent(deps.db, owner, path.intent_id.toLowerCase());
  if (!intent) throw new ApiError('INTENT_UNKNOWN');
  const shown = intentOfV2(intent);
  const sealed = shown.result && covers(scopes, 'api') ? await findSealed(deps, intent.id) : {};
  return {
    status: 200,
    body: { ...shown, result: shown.result && { ...shown.result, ...sealed } },
    headers: { 'Intent-Id': intent.id, 'Cache-Control': 'no-store' },
  };
};

/** The app whose money is listed; null for an operator, who sees that of every app. */
const ownerOf = (principal: Principal) => (principal.kind === 'admin' ? null : appOf(principal).owner);

const cursorOf = ({ id }: { id: string }) => id;

/** Handles `GET /v2/finance/payments`: list payments. */
export const listPaymentRecords: Handler<'listPaymentRecords', { db: Db }> = ({ deps: { db }, principal, query }) => {
  const owner = ownerOf(principal);
  const isKnown = (id: string) => queries.hasPayment(db, owner, id);
  return listPage(query, { path: '/v2/finance/payments', cursorOf, isKnown }, (page) =>
    queries.listPaymentRecords(db, owner, page),
  );
};

/** Handles `GET /v2/finance/payouts`: list payouts. */
export const listPayoutRecords: Handler<'listPayoutRecords', { db: Db }> = ({ deps: { db }, principal, query }) => {
  const owner = ownerOf(principal);
  const isKnown = (id: string) => queries.hasPayout(db, owner, id);
  return listPage(query, { path: '/v2/finance/payouts', cursorOf, isKnown }, (page) =>
    queries.listPayoutRecords(db, owner, page),
  );
};
