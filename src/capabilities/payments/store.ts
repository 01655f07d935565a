import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { Loss, PaymentSeen } from '../../adapters/processor/types.ts';
import { takeDue } from '../../db/polling.ts';
import type { Db } from '../../db/pool.ts';
import type { Claim } from '../../intents/intent.ts';
import { settleBy, succeedWith } from '../../intents/settle.ts';
import { newId, newIntentId, type PaymentId } from '../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';
import type { Outcome } from './commands.ts';
import { findPayment, type Payment, paymentRow } from './queries.ts';
import type { PaymentStep } from './rules.ts';

const nothing = z.object({});

/** An open transaction. */
export type Tx = DatabaseTransactionConnection;

/**
 * Ends a checkout with the payment intent that the processor created. The client secret is stored sealed. False: the
 * claim is lost, and nothing was written.
 */
export function recordCheckout(
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Claim,
  paymentId: PaymentId,
  { processorId, clientSecret, status }: PaymentSeen,
): Promise<boolean> {
  const sealed = clientSecret === null ? null : sql.binary(sealSecret(sealer, paymentId, clientSecret));
  const outcome = { result: { payment_id: paymentId, processor_payment_intent_id: processorId, status } };
  return settleBy(db, 'record_checkout', intent, {
    ending: 'succeeded',
    by: sql.fragment`record_checkout(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${paymentId}, ${processorId}, ${status},
      ${sealed})`,
  });
}

/** Ends a refund's intent with the refund that the processor made. False: the claim is lost, and nothing was written. */
export function recordRefund(db: Db, intent: Claim, paymentId: PaymentId, refund: Loss): Promise<boolean> {
  const result = { refund_id: refund.id, refunded_cents: refund.cents, status: refund.status ?? 'pending' };
  const noted = sql.fragment`note_refund(${paymentId}, ${lossMembers(refund)}::jsonb)`;
  return succeedWith(db, 'record_refund', intent, result, sql.fragment`(select '{}'::uuid[] from ${noted})`);
}

const noted = z.object({ verdict: z.enum(['applied', 'stale', 'unreadable']) });

/** Stores what the processor reports of a charge's refunds, a refund or a dispute; the payment's account follows. */
export const noteLoss = (tx: Tx, paymentId: PaymentId, loss: Loss, atMs: number): Promise<Outcome> =>
  tx.oneFirst(sql.prepared('note_loss', noted)`
    select note_loss(${paymentId}, ${lossMembers(loss)}::jsonb, ${atMs}) verdict`);

const lossMembers = ({ madeAtMs, madeCents, ...loss }: Loss): string =>
  JSON.stringify({ ...loss, made_at_ms: madeAtMs, made_cents: madeCents });

/**
 * The payment that names this object of the processor, locked until the transaction ends. A payment whose checkout never
 * learned the processor's id is found by its own id in the object's metadata, and names the object from then on.
 */
export async function lockPayment(
  tx: Tx,
  { paymentId, processorId }: { paymentId: PaymentId | null; processorId: string },
): Promise<Payment | null> {
  const id = await tx.maybeOneFirst(sql.prepared('lock_payment', paymentRow.pick({ id: true }))`
    select p.id
    from payments p
    where p.processor_payment_intent_id = ${processorId}
      or (p.id = ${paymentId} and p.processor_payment_intent_id is null)
    order by p.processor_payment_intent_id nulls last
    limit 1
    for no key update`);
  const payment = id && (await findPayment(tx, id)); // after the lock: what it waited for is in the ledger
  if (payment?.processor_payment_intent_id !== null) return payment;
  await tx.query(sql.prepared('name_payment', nothing)`select name_payment(${payment.id}, ${processorId})`);
  return { ...payment, processor_payment_intent_id: processorId };
}

/** Stores the client secret of an open payment that has none stored. */
export async function keepClientSecret(tx: Tx, sealer: Sealer, paymentId: PaymentId, secret: string): Promise<void> {
  await tx.query(sql.prepared('keep_client_secret', nothing)`
    update payments
    set sealed_client_secret = ${sql.binary(sealSecret(sealer, paymentId, secret))}
    where id = ${paymentId} and status not in ('succeeded', 'canceled')`);
}

/**
 * Writes the state of a payment, and what was received into the ledger, at `movedAtMs` by the processor's clock; with the event to emit, if any. One
 * that becomes paid opens its account and requests its subaccount; if it was refunded or disputed, the account opens as stopped.
 */
export async function writePayment(
  tx: Tx,
  payment: Payment,
  { next, emit }: PaymentStep,
  { status, movedAtMs, deadlineMs }: { status: string; movedAtMs: number; deadlineMs: number },
): Promise<void> {
  const account = JSON.stringify({ id: newId('prop'), intent_id: newIntentId(), deadline_s: deadlineMs / 1000 });
  await tx.query(sql.prepared('write_payment', nothing)`
    select write_payment(${payment.id}, ${next.status}, to_timestamp(${next.statusAtMs / 1000}), ${next.receivedCents}, ${next.receivedCurrency},
      ${emit === 'payment.mismatched'}, ${emit === 'payment.succeeded'}, to_timestamp(${movedAtMs / 1000}), ${emit}, ${status}, ${account}::jsonb)`);
}

const openPayments = {
  table: 'payments',
  key: 'id',
  since: 'created_at',
  owner: sql.fragment`t.owner`,
  open: sql.fragment`t.paid_at is null and t.status not in ('pending', 'failed', 'canceled') and t.created_at > now() - interval '2 days'`,
  members: sql.fragment`t.id`,
  row: paymentRow.pick({ id: true }),
};

/**
 * Queues a read of payments that are still open at the processor, at most 500, for 2 days after the checkout: 20 a second, because orders
 * wait for the same workers. Returns the number queued.
 */
export const queueReadings = (db: Db, everyS: number): Promise<number> =>
  db.transaction(async (tx) => {
    const due = await takeDue(tx, openPayments, { everyS, most: 500 });
    const ids = sql.array(
      due.map(({ id }) => id),
      'text',
    );
    await tx.query(sql.prepared('queue_readings', nothing)`
      select enqueue(array_agg(money_job(
        'payments/read', json_build_object('payment_id', d.id), now() + (d.nth - 1) * interval '50 milliseconds')))
      from unnest(${ids}) with ordinality as d (id, nth)
      having count(*) > 0`);
    return due.length;
  });

const sealContextOf = (paymentId: PaymentId): SealContext => ({
  table: 'payments',
  row: paymentId,
  column: 'sealed_client_secret',
});

/** Seals the client secret with which a buyer's browser completes a payment. */
const sealSecret = (sealer: Sealer, paymentId: PaymentId, secret: string): Buffer =>
  sealer.seal(secret, sealContextOf(paymentId));

/**
 * Opens the client secret with which the buyer's browser completes a payment; null where nothing can be paid with it.
 */
export const openSecret = (sealer: Sealer, { id, sealed_client_secret }: Payment): string | null =>
  sealed_client_secret && sealer.open(sealed_client_secret, sealContextOf(id)).toString();
