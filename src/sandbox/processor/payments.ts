import type { Call, Reported, Route } from '../upstream.ts';
import { paged } from './balance.ts';
import { bookCharge, bookDispute, bookRefund, isWithdrawn } from './bookings.ts';
import { type Api, type Form, metadataOf, wholeOf } from './form.ts';
import { LATER_MS, magicOfAmount, SOON_MS } from './magic.ts';
import {
  type Dispute,
  type Metadata,
  missing,
  newObjectId,
  nowS,
  type PaymentIntent,
  type Refund,
  rejected,
  type World,
} from './world.ts';

/** Payment intents and refunds of the API. */
export const paymentRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/payment_intents', (form, call) => create(world, form, call)),
  get('/v1/payment_intents/:id', ({ params, query }) => {
    const payment = world.payments.get(params.id ?? '');
    const isExpanded = query.get('expand[0]') === 'latest_charge' && payment?.latest_charge;
    return shown(payment && isExpanded ? { ...payment, latest_charge: chargeOf(world, payment) } : payment);
  }),
  get('/v1/payment_intents', ({ query }) => paged(query, [...world.payments.values()])),
  post('/v1/payment_intents/:id/confirm', (form, { params }) =>
    confirm(world, params.id ?? '', form.get('payment_method')),
  ),
  post('/v1/refunds', (form, call) => refund(world, form, call)),
  get('/v1/refunds', ({ query }) => {
    const arrival = query.get('charge');
    if (arrival !== null) return paged(query, world.arrivals.get(arrival)?.refunds.toReversed() ?? []);
    const intent = query.get('payment_intent');
    return paged(
      query,
      [...world.refunds.values()].filter(({ payment_intent }) => payment_intent === intent),
    );
  }),
];

const shown = (object: object | undefined): Reported => (object ? { status: 200, body: object } : missing());

function create(world: World, form: Form, { headers }: Call): Reported {
  const amount = wholeOf(form, 'amount');
  const currency = form.get('currency');
  if (amount === null || amount < 50) return rejected(400, 'amount_too_small');
  if (!currency || !/^[a-z]{3}$/.test(currency)) return rejected(400, 'invalid_currency');
  const id = newObjectId('pi');
  const payment: PaymentIntent = {
    id,
    object: 'payment_intent',
    amount,
    amount_received: 0,
    currency,
    status: 'requires_payment_method',
    client_secret: `${id}_secret_${newObjectId('s').slice(2)}`,
    created: nowS(),
    last_payment_error: null,
    latest_charge: null,
    charged: null,
    metadata: metadataOf(form),
  };
  world.payments.set(id, payment);
  world.ledger.record({
    key: String(headers['idempotency-key'] ?? id),
    kind: 'payment_intent',
    detail: { id, amount },
  });
  world.emit('payment_intent.created', payment);
  if (magicOfAmount(amount) !== null) world.after(SOON_MS, () => payByItself(world, payment));
  return { status: 200, body: { ...payment } };
}

/** Pays a magic amount, and does what follows from it. */
function payByItself(world: World, payment: PaymentIntent): void {
  if (!succeed(world, payment)) return;
  const does = magicOfAmount(payment.amount);
  if (does === 'refund') world.after(LATER_MS, () => giveBack(world, payment, payment.amount));
  if (does === 'dispute') world.after(LATER_MS, () => dispute(world, payment, payment.amount));
}

/** Pays with the processor's test methods: `pm_card_visa` succeeds, a name that contains `declined` fails. */
function confirm(world: World, id: string, method: string | null): Reported {
  const payment = world.payments.get(id);
  if (!payment) return missing();
  const paid = method === null || !/declined/i.test(method) ? succeed(world, payment) : decline(world, payment);
  return paid ? { status: 200, body: { ...payment } } : rejected(400, 'payment_intent_unexpected_state');
}

const OPEN = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'processing'];

/** Completes an open payment, with what was asked for or with `received`. False if it is not open. */
export function succeed(
  world: World,
  payment: PaymentIntent,
  received: { amount?: unknown; currency?: unknown } = {},
): boolean {
  if (!OPEN.includes(payment.status)) return false;
  const { amount = payment.amount, currency = payment.currency } = received;
  Object.assign(payment, {
    status: 'succeeded',
    amount_received: amount,
    currency,
    last_payment_error: null,
    latest_charge: newObjectId('ch'),
    charged: nowS(),
  });
  bookCharge(world, payment);
  world.ledger.record({ key: payment.id, kind: 'paid', detail: { amount, currency } });
  world.emit('payment_intent.succeeded', payment);
  return true;
}

/** Fails one attempt of an open payment; the payment stays open. False if it is not open. */
export function decline(world: World, payment: PaymentIntent): boolean {
  if (!OPEN.includes(payment.status)) return false;
  payment.status = 'requires_payment_method';
  payment.last_payment_error = { code: 'card_declined', decline_code: 'generic_decline' };
  world.emit('payment_intent.payment_failed', payment);
  return true;
}

function refund(world: World, form: Form, { headers }: Call): Reported {
  const payment = world.payments.get(form.get('payment_intent') ?? '');
  if (payment?.status !== 'succeeded') return payment ? rejected(400, 'charge_not_refundable') : missing();
  const left = payment.amount_received - refundedOf(world, payment.id);
  const amount = wholeOf(form, 'amount') ?? left;
  if (amount <= 0 || amount > left) return rejected(400, 'charge_already_refunded');
  const made = giveBack(world, payment, amount, metadataOf(form));
  world.ledger.record({
    key: String(headers['idempotency-key'] ?? made.id),
    kind: 'refund',
    detail: { id: made.id, payment: payment.id, amount },
  });
  return { status: 200, body: { ...made } };
}

const TAKES_NOTHING = ['failed', 'canceled'];

/** What a payment's charge has refunded: a refund that failed or was cancelled is not counted. */
export const refundedOf = (world: World, paymentId: string): number =>
  [...world.refunds.values()]
    .filter(({ payment_intent, status }) => payment_intent === paymentId && !TAKES_NOTHING.includes(String(status)))
    .reduce((total, { amount }) => total + amount, 0);

const chargeOf = (world: World, payment: PaymentIntent) => ({
  id: payment.latest_charge,
  object: 'charge',
  amount: payment.amount,
  amount_refunded: refundedOf(world, payment.id),
  currency: payment.currency,
  created: payment.charged ?? payment.created,
  payment_intent: payment.id,
  refunded: refundedOf(world, payment.id) === payment.amount,
});

/** Refunds an amount. The processor reports the refund itself, and the sum on the charge. */
export function giveBack(world: World, payment: PaymentIntent, amount: number, metadata: Metadata = {}): Refund {
  const made: Refund = {
    id: newObjectId('re'),
    object: 'refund',
    amount,
    charge: payment.latest_charge,
    created: nowS(),
    currency: payment.currency,
    metadata,
    payment_intent: payment.id,
    status: world.settings.refundStatus,
  };
  world.refunds.set(made.id, made);
  bookRefund(world, made, 'refund', -amount);
  world.emit('refund.created', made);
  world.emit('charge.refunded', chargeOf(world, payment));
  return made;
}

/** A refund goes on: it succeeds, fails, or is cancelled. A bank may return one that had succeeded. */
export function moveRefund(world: World, id: string, status: string): boolean {
  const made = world.refunds.get(id);
  if (!made || TAKES_NOTHING.includes(String(made.status))) return false;
  made.status = status;
  if (TAKES_NOTHING.includes(status)) bookRefund(world, made, 'refund_failure', made.amount);
  world.emit(status === 'failed' ? 'refund.failed' : 'refund.updated', made);
  world.emit('charge.refund.updated', made);
  return true;
}

/** The card holder disputes an amount of a payment. */
export function dispute(world: World, payment: PaymentIntent, amount: number, status = 'needs_response'): Dispute {
  const made: Dispute = {
    id: newObjectId('du'),
    object: 'dispute',
    amount,
    charge: String(payment.latest_charge),
    created: nowS(),
    currency: payment.currency,
    payment_intent: payment.id,
    status,
    balance_transactions: [],
  };
  world.disputes.set(made.id, made);
  if (isWithdrawn(status)) bookDispute(world, made, -amount);
  world.emit('charge.dispute.created', made);
  return made;
}

const CLOSED = ['won', 'lost', 'warning_closed', 'prevented'];

/** A dispute or an inquiry goes on, or is closed. One that is lost gives back what the payment had refunded of the same money before. */
export function moveDispute(world: World, id: string, status: string): boolean {
  const made = world.disputes.get(id);
  if (!made) return false;
  const wasWithdrawn = isWithdrawn(made.status);
  made.status = status;
  if (isWithdrawn(status) !== wasWithdrawn) bookDispute(world, made, wasWithdrawn ? made.amount : -made.amount);
  const twice = status === 'lost' ? takenTwice(world, made) : 0;
  if (twice > 0) bookDispute(world, made, twice);
  world.emit(`charge.dispute.${CLOSED.includes(status) ? 'closed' : 'updated'}`, made);
  return true;
}

/** What both refunds and a dispute have taken of a payment. */
function takenTwice(world: World, { payment_intent, amount }: Dispute): number {
  const payment = world.payments.get(String(payment_intent));
  return payment ? refundedOf(world, payment.id) + amount - payment.amount_received : 0;
}
