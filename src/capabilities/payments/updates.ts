import type { Fact, Processor } from '../../adapters/processor/types.ts';
import type { PaymentId } from '../../kernel/ids.ts';
import { requireValue } from '../../kernel/require.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { readingTime } from '../../kernel/work.ts';
import { type NotifiedDeps as EventDeps, handleEvent, type Outcome, type StoredEvent } from './commands.ts';
import { findPayment, type Payment } from './queries.ts';
import { applyUpdate, isOver, type PaymentState, type ProcessorUpdate } from './rules.ts';
import * as store from './store.ts';

/** The dependencies of the handler of payment events. */
export type NotifiedDeps = EventDeps & { config: { ACCOUNT_DEADLINE_MS: number } };

/**
 * Acts on one stored event about a payment (see `handleEvent`). Events may come in any order. Payment, account, creation intent and the app's event
 * are written in one transaction.
 */
export const handlePaymentEvent = (eventId: string, deps: NotifiedDeps): Promise<void> =>
  handleEvent(eventId, deps, async (tx, event) => {
    const payment = await store.lockPayment(tx, idsOf(event.fact));
    return payment ? applyFact(tx, payment, event, deps) : 'not_ours';
  });

async function applyFact(tx: store.Tx, payment: Payment, event: StoredEvent, deps: NotifiedDeps): Promise<Outcome> {
  const { type, said_at_ms: atMs, fact } = event;
  if (fact.about === 'charge') return store.noteLoss(tx, payment.id, fact.loss, atMs);
  if (fact.about === 'warning') {
    if (fact.isActionable)
      deps.log.error({ alert: 'early_fraud_warning', event_id: event.id }, 'refund the payment before it is disputed');
    return 'applied';
  }
  if (fact.about !== 'payment') throw new Error(`An event about ${fact.about} is not about a payment`);
  const { status, receivedCents, currency } = fact;
  return recordUpdate(tx, payment, { type, atMs, movedAtMs: atMs, status, receivedCents, currency }, deps);
}

function idsOf(fact: Fact) {
  if (fact.about === 'payment') return { paymentId: fact.paymentId, processorId: fact.processorId };
  if (fact.about === 'charge' || fact.about === 'warning') return { paymentId: null, processorId: fact.processorId };
  throw new Error(`An event about ${fact.about} is not about a payment`);
}

/** Applies an update. Logs an alert if it first shows that another amount or currency was received than the price. */
async function recordUpdate(
  tx: store.Tx,
  payment: Payment,
  update: ProcessorUpdate & { movedAtMs: number },
  { config, log }: NotifiedDeps,
): Promise<Outcome> {
  const before = stateOf(payment);
  const step = applyUpdate(before, update, { amountCents: payment.amount_cents, currency: payment.currency });
  await store.writePayment(tx, payment, step, { ...update, deadlineMs: config.ACCOUNT_DEADLINE_MS });
  if (step.emit === 'payment.mismatched')
    log.error(
      { alert: 'paid_amount_differs', payment_id: payment.id },
      'no account is created; operator action required',
    );
  return step.next !== before || step.emit !== null ? 'applied' : 'stale';
}

const stateOf = (payment: Payment): PaymentState => ({
  status: payment.status,
  statusAtMs: payment.status_at_ms,
  receivedCents: payment.received_cents,
  receivedCurrency: payment.received_currency,
});

/** The dependencies of `readPayment`. */
export type ReadDeps = NotifiedDeps & { sealer: Sealer; processor: Processor | null };

/**
 * Reads one open payment at the processor and applies its state, as if the event about it had arrived. If it cannot be read, a later run reads it
 * again. Throws if no processor is configured, so that the queue runs the job again.
 */
export async function readPayment(paymentId: PaymentId, deps: ReadDeps): Promise<void> {
  const processor = requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const known = await findPayment(deps.db, paymentId);
  if (!known?.processor_payment_intent_id) return;
  const atMs = readingTime();
  const reading = await processor.findPayment(known.processor_payment_intent_id);
  if (reading.kind !== 'found') return;
  const { status, receivedCents, currency, clientSecret, paidAtMs } = reading.data;
  await deps.db.transaction(async (tx) => {
    const payment = await store.lockPayment(tx, reading.data);
    if (!payment) return;
    if (payment.sealed_client_secret === null && clientSecret !== null && !isOver(status))
      await store.keepClientSecret(tx, deps.sealer, payment.id, clientSecret);
    const update = { type: 'reading', atMs, movedAtMs: paidAtMs ?? atMs, status, receivedCents, currency };
    await recordUpdate(tx, payment, update, deps);
  });
}
