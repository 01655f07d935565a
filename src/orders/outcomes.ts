import { sql } from 'slonik';
import { z } from 'zod';
import type { Executed, Signal, SignalAccepted } from '../adapters/netvenue/types.ts';
import type { Db } from '../db/pool.ts';
import { recordNoAnswer } from '../intents/carry-out.ts';
import type { Intent, Problem } from '../intents/intent.ts';
import { fail, succeed, succeedWith } from '../intents/settle.ts';
import type { Answer, Rejected } from '../kernel/answer.ts';
import { rests, type Terms } from './rules.ts';

type NetworkAnswer = Answer<SignalAccepted>;
export type Lifecycle = 'resting' | 'filled' | 'cancelled';

/** What a network order verb ended with, as its result is shown. `processing_time` is the venue's own, in seconds. */
const resultOf = (orderUuid: string, said: SignalAccepted): Record<string, unknown> => ({
  order_uuid: orderUuid,
  processing_time: said.processingTimeS,
  message: said.note,
  executed: said.executed,
});

/** Records what the venue said to a placement. */
export async function recordPlacement(db: Db, intent: Intent, answer: NetworkAnswer): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { terms } = intent.asked as { terms: Terms }; // as placeOrder wrote it
  return succeedWith(
    db,
    'record_placement',
    intent,
    resultOf(intent.id, answer.said),
    sql.fragment`
    update orders
    set lifecycle = ${rests(terms) ? 'resting' : 'filled'}, executed = ${json(answer.said.executed)}
    where id = ${intent.id} and (select ok from settled)`,
  );
}

/** Records what the venue said to a cancellation of `target`. */
export async function recordCancellation(
  db: Db,
  intent: Intent,
  target: string,
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  return succeedWith(
    db,
    'record_cancellation',
    intent,
    resultOf(target, answer.said),
    sql.fragment`
      update orders
      set lifecycle = 'cancelled'
      where id = ${target} and (select ok from settled)`,
  );
}

/** Records what the venue said to an edit that makes `target` stand at `terms`. */
export async function recordEdit(
  db: Db,
  intent: Intent,
  { target, terms }: { target: string; terms: Terms },
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  return succeedWith(
    db,
    'record_edit',
    intent,
    resultOf(target, answer.said),
    sql.fragment`
      update orders
      set terms = ${JSON.stringify(terms)}::jsonb
      where id = ${target} and (select ok from settled)`,
  );
}

/** Records what the venue said to new protection. `bracket` is the id of the protecting order, an order of its own from now on. */
export async function recordProtection(
  db: Db,
  intent: Intent,
  { bracket, signal, terms }: { bracket: string; signal: Signal; terms: Terms },
  answer: NetworkAnswer,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { trader } = intent.asked as { trader: string };
  return succeedWith(
    db,
    'record_protection',
    intent,
    resultOf(bracket, answer.said),
    sql.fragment`
    insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
    select ${bracket}, 'netvenue', ${intent.owner}, ${trader}, ${terms.trade_pair}, ${signal.order_uuid},
      ${JSON.stringify(terms)}::jsonb, 'resting'
    from settled
    where ok
    on conflict (id) do update set terms = excluded.terms, lifecycle = 'resting'
    where orders.trader = excluded.trader`,
  );
}

/** Records that a position is proven closed, or what else the venue said. */
export const recordClose = (db: Db, intent: Intent, answer: NetworkAnswer): Promise<boolean> =>
  answer.kind === 'accepted' ? succeed(db, intent, resultOf(intent.id, answer.said)) : recordNo(db, intent, answer);

/** Notes what a resting order has become, as a later look at the venue showed it. */
export async function noteLifecycle(
  db: Db,
  orderId: string,
  lifecycle: Lifecycle,
  executed: Executed | null,
): Promise<void> {
  await db.query(sql.prepared('note_lifecycle', z.object({}))`
    update orders
    set lifecycle = ${lifecycle}, executed = coalesce(${json(executed)}, executed)
    where id = ${orderId} and lifecycle = 'resting'`);
}

const recordNo = (db: Db, intent: Intent, answer: Exclude<NetworkAnswer, { kind: 'accepted' }>): Promise<boolean> =>
  answer.kind === 'rejected' ? fail(db, intent, problemOf(answer)) : recordNoAnswer(db, intent, answer);

/** Our word for a venue's no. */
function problemOf({ slug, message, retryAfterS }: Rejected): Problem {
  if (slug === 'venue_auth') return { code: 'VENUE_AUTH' };
  if (slug === 'cooldown') return { code: 'VENUE_COOLDOWN', message, retry_after_s: retryAfterS ?? 1 };
  if (slug === 'order_not_found' || slug === 'cannot_edit') return { code: 'V1_ORDER_NOT_RESTING', reason: slug };
  return { code: 'VENUE_REJECTED', message, reason: slug };
}

const json = (value: unknown) => sql.fragment`nullif(${JSON.stringify(value)}::jsonb, 'null'::jsonb)`;
