import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { Fact, PaymentSeen } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import { telling } from '../intents/endings.ts';
import type { Intent } from '../intents/intent.ts';
import { recordNo } from '../intents/keyed.ts';
import { settling, succeedWith } from '../intents/settle.ts';
import type { Answer } from '../kernel/answer.ts';
import { newId, newIntentId } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/seal.ts';
import { lockPayment, type Payment, type StoredEvent } from './queries.ts';
import { goneFor, isFullyPaid, isOver, type Standing, type Step, stepOf, type Word } from './rules.ts';
import { sealSecret } from './secrets.ts';

const nothing = z.object({});
const done = z.object({ ok: z.boolean() });
type Tx = DatabaseTransactionConnection;
type Keeper = { db: Db; sealer: Sealer };

/** Records what the processor said to the making of a payment intent. */
export async function recordCheckout(
  { db, sealer }: Keeper,
  intent: Intent,
  paymentId: string,
  answer: Answer<PaymentSeen>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { processorId, clientSecret, status } = answer.said;
  const sealed = clientSecret === null ? null : sql.binary(sealSecret(sealer, paymentId, clientSecret));
  const result = { payment_id: paymentId, processor_payment_intent_id: processorId, status };
  const change = sql.fragment`
      update payments p
      set processor_payment_intent_id = ${processorId}, sealed_client_secret = ${sealed},
        status = case when p.status = 'pending' then ${status} else p.status end
      where p.id = ${paymentId} and (select ok from settled)`;
  return succeedWith(db, 'record_checkout', intent, result, change);
}

/** Records what the processor said to a refund. The account it was for is stopped by the processor's own notification, or here. */
export async function recordRefund(
  db: Db,
  intent: Intent,
  processorId: string,
  answer: Answer<{ refundId: string; refundedCents: number }>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { refundId, refundedCents } = answer.said;
  const settled = db.transaction(async (tx) => {
    const ok = await tx.oneFirst(sql.prepared('settle_refund', done)`
      select ${settling(intent, 'succeeded', { result: { refund_id: refundId, refunded_cents: refundedCents } })} ok`);
    if (!ok) return false;
    const payment = await lockPayment(tx, { paymentId: null, processorId });
    if (!payment) throw new Error('A refunded payment is missing');
    const word = {
      about: 'charge' as const,
      atMs: Date.now(),
      refundedCents: payment.refunded_cents + refundedCents,
      isDisputed: false,
    };
    await write(tx, payment, stepOf(standingOf(payment), word));
    return true;
  });
  return telling(db, intent, 'succeeded', settled);
}

/** What acting on an event came to; `amountDiffers` where money came that does not pay for what was asked. */
export type Applied = { outcome: 'applied' | 'stale' | 'unknown'; amountDiffers: boolean };

/** How long a payment's account may wait for the network before its making is given up unsent. */
type Terms = { deadlineMs: number };

/**
 * Acts on one event about a payment, once, whatever came before it: payment, account, its creation's intent and the app's
 * event in one transaction.
 */
export const applyEvent = (db: Db, event: StoredEvent, terms: Terms): Promise<Applied> =>
  db.transaction(async (tx) => {
    const about = aboutOf(event.fact);
    const payment = about && (await lockPayment(tx, about));
    if (!payment) return closeEvent(tx, event, null, { outcome: 'unknown', amountDiffers: false });
    return closeEvent(
      tx,
      event,
      payment.id,
      await applyWord(tx, payment, wordOf(event), terms, currencyOf(event.fact)),
    );
  });

/** Applies what a look at the processor showed of a payment, as an event nobody told us would. */
export const applyLook = ({ db, sealer }: Keeper, seen: PaymentSeen, atMs: number, terms: Terms): Promise<Applied> =>
  db.transaction(async (tx) => {
    const payment = await lockPayment(tx, seen);
    if (!payment) return { outcome: 'unknown', amountDiffers: false };
    const { status, receivedCents, currency } = seen;
    if (payment.sealed_client_secret === null) await keepSecret(tx, sealer, payment, seen);
    return applyWord(tx, payment, { about: 'payment', type: 'look', atMs, status, receivedCents }, terms, currency);
  });

async function applyWord(
  tx: Tx,
  payment: Payment,
  word: Word,
  { deadlineMs }: Terms,
  currency: string,
): Promise<Applied> {
  const before = standingOf(payment);
  const step = stepOf(before, word);
  await write(tx, payment, step);
  const fits = isFullyPaid(
    { amountCents: payment.amount_cents, currency: payment.currency },
    { receivedCents: step.next.receivedCents, currency },
  );
  if (step.isPaid) await (fits ? openAccount(tx, payment, step.next, deadlineMs) : noteOtherAmount(tx, payment));
  if (step.emit) await emit(tx, payment, step.emit, word);
  const changed = step.next !== before || step.emit !== null;
  return { outcome: changed ? 'applied' : 'stale', amountDiffers: step.isPaid && !fits };
}

const aboutOf = (fact: Fact) =>
  fact.about === 'payment'
    ? { paymentId: fact.paymentId, processorId: fact.processorId }
    : fact.about === 'charge' && { paymentId: null, processorId: fact.processorId };

const currencyOf = (fact: Fact) => (fact.about === 'payment' ? fact.currency : '');

function wordOf({ type, said_at_ms: atMs, fact }: StoredEvent): Word {
  if (fact.about === 'payment')
    return { about: 'payment', type, atMs, status: fact.status, receivedCents: fact.receivedCents };
  if (fact.about === 'charge')
    return { about: 'charge', atMs, refundedCents: fact.refundedCents, isDisputed: fact.disputed };
  throw new Error(`An event about ${fact.about} is not about a payment`);
}

const standingOf = (payment: Payment): Standing => ({
  status: payment.status,
  statusAtMs: payment.status_at_ms,
  receivedCents: payment.received_cents,
  refundedCents: payment.refunded_cents,
  isDisputed: payment.is_disputed,
});

/** Keeps what an open payment is completed with where we have it not: an earlier version kept it otherwise. */
async function keepSecret(
  tx: Tx,
  sealer: Sealer,
  { id }: Payment,
  { status, clientSecret }: PaymentSeen,
): Promise<void> {
  if (isOver(status) || clientSecret === null) return;
  await tx.query(sql.prepared('keep_client_secret', nothing)`
    update payments
    set sealed_client_secret = ${sql.binary(sealSecret(sealer, id, clientSecret))}
    where id = ${id} and status not in ('succeeded', 'canceled')`);
}

/** Writes where a payment stands now, and stops its account if the money is gone. */
async function write(tx: Tx, payment: Payment, { next, stopped }: Step): Promise<void> {
  await tx.query(sql.prepared('write_payment', nothing)`
    update payments
    set status = ${next.status}, status_at = to_timestamp(${next.statusAtMs / 1000}), received_cents = ${next.receivedCents},
      refunded_cents = ${next.refundedCents}, paid_at = case when ${next.status === 'succeeded'} then coalesce(paid_at, now()) end,
      refunded_at = case when ${next.refundedCents > 0} then coalesce(refunded_at, now()) end,
      disputed_at = case when ${next.isDisputed} then coalesce(disputed_at, now()) end,
      sealed_client_secret = case when ${isOver(next.status)} then null else sealed_client_secret end
    where id = ${payment.id}`);
  if (stopped === null) return;
  await tx.query(sql.prepared('stop_account', nothing)`
    select stop_paid_account(${payment.id}, ${stopped})`);
}

async function openAccount(tx: Tx, payment: Payment, standing: Standing, deadlineMs: number): Promise<void> {
  await tx.query(sql.prepared('open_paid_account', nothing)`
    select open_paid_account(${payment.id}, ${newId('prop')}, ${newIntentId()}, ${deadlineMs / 1000}, ${goneFor(standing)})`);
}

async function noteOtherAmount(tx: Tx, { id }: Payment): Promise<void> {
  await tx.query(
    sql.prepared('note_other_amount', nothing)`update payments set amount_differs = true where id = ${id}`,
  );
}

async function emit(tx: Tx, payment: Payment, type: NonNullable<Step['emit']>, word: Word): Promise<void> {
  const about = {
    payment_id: payment.id,
    user_id: payment.user_id,
    processor_payment_intent_id: payment.processor_payment_intent_id,
    ...(word.about === 'payment' && type === 'payment.failed' && { status: word.status }),
  };
  await tx.query(
    sql.prepared('emit_event', nothing)`select emit_event(${payment.owner}, ${type}, ${JSON.stringify(about)}::jsonb)`,
  );
}

/** An event about something we do not know stays open: what it is about may still be on its way into our tables. */
async function closeEvent(tx: Tx, { id }: StoredEvent, paymentId: string | null, applied: Applied): Promise<Applied> {
  await tx.query(sql.prepared('close_event', nothing)`
    update processor_events
    set payment_id = ${paymentId}, outcome = ${applied.outcome}, acted_at = case when ${applied.outcome !== 'unknown'} then now() end
    where id = ${id}`);
  return applied;
}

/** Queues another go at events that were left open, for a day after they came. Answers how many. */
export const requeueOpenEvents = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_open_events() count`);

/** Queues a look at every payment that is open and was not looked at for `everyS` seconds. Answers how many. */
export const queueLooks = (db: Db, everyS: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select queue_payment_looks(${everyS}, 500) count`);

/** Remembers up to where the processor's events have been read. */
export async function moveCursor(db: Db, seenMs: number): Promise<void> {
  await db.query(sql.type(nothing)`
    insert into processor_cursor as c (seen_at)
    values (to_timestamp(${seenMs / 1000}))
    on conflict (only_row) do update set seen_at = greatest(c.seen_at, excluded.seen_at)`);
}
