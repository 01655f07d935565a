import type { Logger } from 'pino';
import type { Fact, PaymentSeen, Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import type { PaymentId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { readingTime } from '../../kernel/work.ts';
import { closeAsUnreadable, closeEvent } from './commands.ts';
import { findOpenEvent, findPayment, type Payment, type StoredEvent } from './queries.ts';
import { applyUpdate, isOver, type PaymentState, type ProcessorUpdate } from './rules.ts';
import * as store from './store.ts';

/** How long the creation of a payment's account may wait for the network before it expires unsent. */
type Terms = { deadlineMs: number };

/** The result of handling an event. `amountDiffers`: it first showed that another amount or currency was received. */
type Applied = { outcome: 'applied' | 'stale' | 'not_ours' | 'unreadable'; amountDiffers: boolean };

/**
 * Applies one event about a payment, once. Payment, account, creation intent and the app's event are written in one
 * transaction.
 */
const applyEvent = ({ db, log }: Pick<NotifiedDeps, 'db' | 'log'>, event: StoredEvent, terms: Terms) =>
  db.transaction(async (tx): Promise<Applied> => {
    const ids = idsOf(event.fact);
    const payment = ids ? await store.lockPayment(tx, ids) : null;
    if (!(await findOpenEvent(tx, event.id))) return resultOf('stale'); // another worker has applied it meanwhile
    const applied = await applyFact(tx, payment, event, terms);
    if (applied.outcome === 'unreadable') await closeAsUnreadable(tx, log, event.id);
    else await closeEvent(tx, event.id, applied.outcome, payment?.id);
    return applied;
  });

async function applyFact(tx: store.Tx, payment: Payment | null, event: StoredEvent, terms: Terms): Promise<Applied> {
  const { type, said_at_ms: atMs, fact } = event;
  if (fact.about === 'unreadable') return resultOf('unreadable');
  if (!payment) return resultOf('not_ours');
  if (fact.about === 'charge') return resultOf(await store.noteLoss(tx, payment.id, fact.loss, atMs));
  if (fact.about === 'warning') return resultOf('applied');
  if (fact.about !== 'payment') throw new Error(`An event about ${fact.about} is not about a payment`);
  const { status, receivedCents, currency } = fact;
  return recordUpdate(tx, payment, { type, atMs, movedAtMs: atMs, status, receivedCents, currency }, terms);
}

const resultOf = (outcome: Applied['outcome']): Applied => ({ outcome, amountDiffers: false });

/** Applies what the processor shows of a payment at `atMs`, like an event that was never received. */
const applyPayment = (
  { db, sealer }: { db: Db; sealer: Sealer },
  reading: PaymentSeen,
  atMs: number,
  terms: Terms,
): Promise<Applied> =>
  db.transaction(async (tx) => {
    const payment = await store.lockPayment(tx, reading);
    if (!payment) return resultOf('not_ours');
    const { status, receivedCents, currency, clientSecret, paidAtMs } = reading;
    if (payment.sealed_client_secret === null && clientSecret !== null && !isOver(status))
      await store.keepClientSecret(tx, sealer, payment.id, clientSecret);
    const update = { type: 'reading', atMs, movedAtMs: paidAtMs ?? atMs, status, receivedCents, currency };
    return recordUpdate(tx, payment, update, terms);
  });

/** Logs an alert if another amount or currency was received than the price. */
function alertIfAmountDiffers(
  log: Pick<Logger, 'error'>,
  { amountDiffers }: Applied,
  ids: { event_id: string } | { payment_id: PaymentId },
): void {
  if (amountDiffers)
    log.error({ alert: 'paid_amount_differs', ...ids }, 'no account was created; operator action required');
}

async function recordUpdate(
  tx: store.Tx,
  payment: Payment,
  update: ProcessorUpdate & { movedAtMs: number },
  { deadlineMs }: Terms,
): Promise<Applied> {
  const before = stateOf(payment);
  const step = applyUpdate(before, update, { amountCents: payment.amount_cents, currency: payment.currency });
  await store.writePayment(tx, payment, step, update.movedAtMs);
  if (step.isCleared) await store.openAccount(tx, payment, deadlineMs);
  if (step.emit) await store.emitPaymentEvent(tx, payment, step.emit, { ...step.next, status: update.status });
  const hasChanged = step.next !== before || step.emit !== null;
  return { outcome: hasChanged ? 'applied' : 'stale', amountDiffers: step.isMismatched };
}

const idsOf = (fact: Fact) => {
  if (fact.about === 'payment') return { paymentId: fact.paymentId, processorId: fact.processorId };
  return (fact.about === 'charge' || fact.about === 'warning') && { paymentId: null, processorId: fact.processorId };
};

const stateOf = (payment: Payment): PaymentState => ({
  status: payment.status,
  statusAtMs: payment.status_at_ms,
  receivedCents: payment.received_cents,
  receivedCurrency: payment.received_currency,
});

export type NotifiedDeps = { db: Db; config: { ACCOUNT_DEADLINE_MS: number }; log: Pick<Logger, 'error'> };

/** Acts on one stored event about a payment, once, in whatever order events are received. */
export async function handlePaymentEvent(eventId: string, { db, config, log }: NotifiedDeps): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (!event) return;
  const applied = await applyEvent({ db, log }, event, { deadlineMs: config.ACCOUNT_DEADLINE_MS });
  alertIfAmountDiffers(log, applied, { event_id: eventId });
  if (event.fact.about === 'warning' && event.fact.isActionable && applied.outcome === 'applied')
    log.error({ alert: 'early_fraud_warning', event_id: eventId }, 'refund the payment before it is disputed');
}

/** What reading a payment needs. */
export type ReadDeps = NotifiedDeps & { sealer: Sealer; processor: Processor };

/** Reads one open payment at the processor and applies its state. If it cannot be read, a later run reads it again. */
export async function readPayment(paymentId: PaymentId, deps: ReadDeps): Promise<void> {
  const payment = await findPayment(deps.db, paymentId);
  if (!payment?.processor_payment_intent_id) return;
  const readAt = readingTime();
  const reading = await deps.processor.findPayment(payment.processor_payment_intent_id);
  if (reading.kind !== 'found') return;
  const applied = await applyPayment(deps, reading.data, readAt, { deadlineMs: deps.config.ACCOUNT_DEADLINE_MS });
  alertIfAmountDiffers(deps.log, applied, { payment_id: paymentId });
}
