import type { Logger } from 'pino';
import type { Fact, PaymentSeen } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import type { Held } from '../intents/intent.ts';
import type { Sealer } from '../kernel/seal.ts';
import { findOpenEvent, type Payment, type StoredEvent } from './queries.ts';
import { applyUpdate, isFullyPaid, isOver, type PaymentState, type ProcessorUpdate } from './rules.ts';
import * as store from './store.ts';

/**
 * Ends a refund and updates its payment in one transaction; an account bought with the payment is stopped. False: the
 * claim is lost, and nothing was written.
 */
export function recordRefund(
  db: Db,
  intent: Held,
  processorId: string,
  { refundId, refundedCents }: { refundId: string; refundedCents: number },
): Promise<boolean> {
  const result = { refund_id: refundId, refunded_cents: refundedCents };
  return store.settleRefund(db, intent, result, async (tx) => {
    const payment = await store.lockPayment(tx, { paymentId: null, processorId });
    if (!payment) throw new Error('A refunded payment is missing');
    const update = {
      about: 'charge' as const,
      atMs: Date.now(),
      refundedCents: payment.refunded_cents + refundedCents,
      isDisputed: false,
    };
    await store.writePayment(tx, payment, applyUpdate(stateOf(payment), update));
  });
}

/** How long the creation of a payment's account may wait for the network before it expires unsent. */
type Terms = { deadlineMs: number };

/**
 * Applies one event about a payment, once. Payment, account, creation intent and the app's event are written in one
 * transaction.
 */
const applyEvent = (db: Db, event: StoredEvent, terms: Terms): Promise<store.Applied> =>
  db.transaction(async (tx) => {
    const ids = idsOf(event.fact);
    const payment = ids && (await store.lockPayment(tx, ids));
    if (!payment) return store.closeEvent(tx, event, null, { outcome: 'not_ours', amountDiffers: false });
    const applied = await recordUpdate(tx, payment, updateOf(event), terms, currencyOf(event.fact));
    return store.closeEvent(tx, event, payment.id, applied);
  });

/** Applies what the processor shows of a payment at `atMs`, like an event that was never received. */
export const applyPayment = (
  { db, sealer }: { db: Db; sealer: Sealer },
  reading: PaymentSeen,
  atMs: number,
  terms: Terms,
): Promise<store.Applied> =>
  db.transaction(async (tx) => {
    const payment = await store.lockPayment(tx, reading);
    if (!payment) return { outcome: 'not_ours', amountDiffers: false };
    const { status, receivedCents, currency, clientSecret } = reading;
    if (payment.sealed_client_secret === null && clientSecret !== null && !isOver(status))
      await store.keepClientSecret(tx, sealer, payment.id, clientSecret);
    return recordUpdate(
      tx,
      payment,
      { about: 'payment', type: 'reading', atMs, status, receivedCents },
      terms,
      currency,
    );
  });

/** Logs an alert if money was received that does not cover the price. */
export function alertIfAmountDiffers(
  log: Pick<Logger, 'error'>,
  { amountDiffers }: store.Applied,
  ids: { event_id: string } | { payment_id: string },
): void {
  if (amountDiffers)
    log.error({ alert: 'paid_amount_differs', ...ids }, 'no account was created; operator action required');
}

async function recordUpdate(
  tx: store.Tx,
  payment: Payment,
  update: ProcessorUpdate,
  { deadlineMs }: Terms,
  currency: string,
): Promise<store.Applied> {
  const before = stateOf(payment);
  const step = applyUpdate(before, update);
  await store.writePayment(tx, payment, step);
  const isEnough = isFullyPaid(
    { amountCents: payment.amount_cents, currency: payment.currency },
    { receivedCents: step.next.receivedCents, currency },
  );
  if (step.isPaid && isEnough) await store.openAccount(tx, payment, step.next, deadlineMs);
  if (step.isPaid && !isEnough) await store.noteOtherAmount(tx, payment);
  if (step.emit) await store.emitPaymentEvent(tx, payment, step.emit, update);
  const hasChanged = step.next !== before || step.emit !== null;
  return { outcome: hasChanged ? 'applied' : 'stale', amountDiffers: step.isPaid && !isEnough };
}

const idsOf = (fact: Fact) =>
  fact.about === 'payment'
    ? { paymentId: fact.paymentId, processorId: fact.processorId }
    : fact.about === 'charge' && { paymentId: null, processorId: fact.processorId };

const currencyOf = (fact: Fact) => (fact.about === 'payment' ? fact.currency : '');

function updateOf({ type, said_at_ms: atMs, fact }: StoredEvent): ProcessorUpdate {
  if (fact.about === 'payment')
    return { about: 'payment', type, atMs, status: fact.status, receivedCents: fact.receivedCents };
  if (fact.about === 'charge')
    return { about: 'charge', atMs, refundedCents: fact.refundedCents, isDisputed: fact.disputed };
  throw new Error(`An event about ${fact.about} is not about a payment`);
}

const stateOf = (payment: Payment): PaymentState => ({
  status: payment.status,
  statusAtMs: payment.status_at_ms,
  receivedCents: payment.received_cents,
  refundedCents: payment.refunded_cents,
  isDisputed: payment.is_disputed,
});

export type NotifiedDeps = { db: Db; config: { ACCOUNT_DEADLINE_MS: number }; log: Pick<Logger, 'error'> };

/** Acts on one stored event about a payment, once, in whatever order events are received. */
export async function handlePaymentEvent(eventId: string, { db, config, log }: NotifiedDeps): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (!event) return;
  const applied = await applyEvent(db, event, { deadlineMs: config.ACCOUNT_DEADLINE_MS });
  alertIfAmountDiffers(log, applied, { event_id: eventId });
}
