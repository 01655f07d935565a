import { sql } from 'slonik';
import { z } from 'zod';
import type { ItemResult } from '../../adapters/exvenue/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Offer } from '../../intents/accept.ts';
import { recordNoAnswer } from '../../intents/carry-out.ts';
import { telling } from '../../intents/endings.ts';
import type { Intent, Problem } from '../../intents/intent.ts';
import { fail, retry, settling, succeed, succeedWith } from '../../intents/settle.ts';
import type { Answer, Rejected } from '../../kernel/answer.ts';
import { compare } from '../../kernel/decimals.ts';
import { type CancelTarget, cancelResult } from './cancels.ts';
import type { ExitFact, OldExit } from './exits.ts';
import type { OrderFact } from './facts.ts';
import { type CancelAsked, followUp, type ProtectAsked } from './intents.ts';
import { type ExchangeTerms, legsOf, type Told } from './rules.ts';
import { closingTerms, shownOrder } from './views.ts';

/** What was sent of an order, as far as its outcome needs it. */
export type SentOrder = { size: string; price: string };

/** What the exchange told of an order and of the exits sent with it, in the order they were sent. */
export type PlacedFact = { order: OrderFact; exits: ItemResult[] };

/** Records what the exchange said to a placement: the order, its exits, and the end of its intent. */
export function recordExchangeOrder(
  db: Db,
  intent: Intent,
  sent: SentOrder,
  answer: Answer<PlacedFact>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { terms } = intent.asked as { terms: ExchangeTerms };
  const told = toldOf(answer.said, sent, terms);
  return succeedWith(
    db,
    'record_exchange_order',
    intent,
    shownOrder(intent, terms, told),
    sql.fragment`
    update orders
    set executed = ${JSON.stringify(told)}::jsonb,
      lifecycle = ${lifecycleOf(told)}
    where id = ${intent.id} and (select ok from settled)`,
  );
}

const lifecycleOf = ({ status }: Told) =>
  status === 'open' ? 'resting' : status === 'cancelled' ? 'cancelled' : 'filled';

/** Records what the exchange said to the closing of a position. */
export function recordExchangeClose(
  db: Db,
  intent: Intent,
  sent: SentOrder & { side: 'long' | 'short' },
  answer: Answer<PlacedFact>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { pair } = intent.asked as { pair: string };
  const terms = closingTerms(pair, sent.side);
  return succeed(db, intent, shownOrder(intent, terms, toldOf(answer.said, sent, terms)));
}

/**
 * Records exits that were seen at the exchange and, in the same transaction, accepts the cancellation of those they replace.
 * A leg that was refused keeps the old exit, if there was one.
 */
export function recordExits(db: Db, intent: Intent, replaced: OldExit[], answer: Answer<ExitFact>): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const asked = intent.asked as ProtectAsked;
  const legs = legsOf(asked);
  const old = (leg: 'tp' | 'sl') => replaced.find((exit) => exit.leg === leg);
  const missing = legs.filter((leg) => answer.said[leg] === undefined);
  const result = {
    pair: asked.pair,
    tp_order_id: text(answer.said.tp ?? old('tp')?.oid),
    sl_order_id: text(answer.said.sl ?? old('sl')?.oid),
    trigger_status: missing.length > 0 ? 'partial_failure' : 'placed',
    trigger_error: missing.length > 0 ? `The exchange refused the ${missing.join(' and ')} order.` : null,
    take_profit: asked.take_profit ?? old('tp')?.triggerPrice ?? null,
    stop_loss: asked.stop_loss ?? old('sl')?.triggerPrice ?? null,
  };
  const oids = replaced.filter(({ leg }) => answer.said[leg] !== undefined).map(({ oid }) => oid);
  return succeedAndFollow(
    db,
    intent,
    result,
    oids.length > 0 ? followUp(intent, 'cancel', { wallet: asked.wallet, oids }) : null,
  );
}

const text = (oid: number | undefined) => (oid === undefined ? null : String(oid));

/** Ends an intent with a result and, in the same transaction, accepts what follows from it. */
function succeedAndFollow(
  db: Db,
  intent: Intent,
  result: Record<string, unknown>,
  next: Offer | null,
): Promise<boolean> {
  if (!next) return succeed(db, intent, result);
  const settled = db.oneFirst(sql.prepared('succeed_and_follow', z.object({ ok: z.boolean() }))`
    with settled as materialized (
      select ${settling(intent, 'succeeded', { result })} ok
    )
    select settled.ok
    from settled
    left join lateral accept_intents(case when settled.ok then ${batchOf(next)}::jsonb else '[]' end) a on true`);
  return telling(db, intent, 'succeeded', settled);
}

const batchOf = (next: Offer | null): string => JSON.stringify(next ? [{ ...next, n: 0 }] : []);

/** Keeps what a later look told of an order's exits. */
export async function noteTriggers(
  db: Db,
  orderId: string,
  told: Partial<Told>,
  next: Offer | null = null,
): Promise<void> {
  await db.query(sql.type(z.object({}))`
    with noted as (
      update orders
      set executed = executed || ${JSON.stringify(told)}::jsonb
      where id = ${orderId} and executed ->> 'trigger_status' = 'pending_parent_fill'
      returning id
    )
    select a.verdict
    from noted
    cross join lateral accept_intents(case when noted.id is not null then ${batchOf(next)}::jsonb else '[]' end) a`);
}

/**
 * Records a no, or that there is no answer. A venue that only wants to be asked more slowly has done nothing: it is asked again
 * inside the deadline.
 */
export async function recordNo(
  db: Db,
  intent: Intent,
  answer: Exclude<Answer<unknown>, { kind: 'accepted' }>,
): Promise<boolean> {
  if (answer.kind !== 'rejected') return recordNoAnswer(db, intent, answer);
  const problem = problemOf(answer);
  return problem.code === 'VENUE_RATE_LIMITED'
    ? retry(db, intent, 1000 * (problem.retry_after_s ?? 1), problem)
    : fail(db, intent, problem);
}

/** Our word for the exchange's no. */
function problemOf({ slug, message, retryAfterS }: Rejected): Problem {
  if (slug === 'rate_limited' || slug === 'action_budget') {
    return { code: 'VENUE_RATE_LIMITED', reason: slug, message, retry_after_s: retryAfterS ?? 1 };
  }
  return { code: 'VENUE_REJECTED', reason: slug, message };
}

function toldOf(
  { order, exits }: PlacedFact,
  sent: SentOrder,
  { take_profit, stop_loss }: Pick<ExchangeTerms, 'take_profit' | 'stop_loss'>,
): Told {
  const filled = order.kind === 'filled' ? order.filledSize : null;
  return {
    ex_order_id: String(order.oid),
    status: statusOf(order, sent),
    size: sent.size,
    filled_size: filled ?? '0',
    fill_price: order.kind === 'filled' ? order.averagePrice : null,
    limit_price: sent.price,
    ...toldExits(exits, { take_profit, stop_loss }, filled !== null),
  };
}

function statusOf(order: OrderFact, { size }: SentOrder): Told['status'] {
  if (order.kind !== 'filled') return order.kind === 'resting' ? 'open' : 'cancelled';
  return compare(order.filledSize, size) < 0 ? 'partial' : 'filled';
}

type ExitsAsked = Pick<ExchangeTerms, 'take_profit' | 'stop_loss'>;

/** What became of exits sent with an order. Without a word on them they wait for their parent, or are looked for. */
function toldExits(exits: ItemResult[], asked: ExitsAsked, parentFilled: boolean) {
  const legs = legsOf(asked);
  const refused = exits.filter((exit) => exit.kind === 'rejected');
  const oid = (leg: 'tp' | 'sl') => {
    const exit = exits[legs.indexOf(leg)];
    return exit?.kind === 'resting' ? String(exit.oid) : null;
  };
  const placed = parentFilled && exits.length > 0 && exits.every(({ kind }) => kind !== 'waiting_for_fill');
  return {
    tp_order_id: legs.includes('tp') ? oid('tp') : null,
    sl_order_id: legs.includes('sl') ? oid('sl') : null,
    trigger_status: triggerStatus(legs.length, refused.length, placed),
    trigger_error: refused[0]?.message ?? null,
  };
}

function triggerStatus(asked: number, refused: number, placed: boolean): Told['trigger_status'] {
  if (asked === 0) return 'not_requested';
  if (refused === asked) return 'failed';
  if (refused > 0) return 'partial_failure';
  return placed ? 'placed' : 'pending_parent_fill';
}

/**
 * Records what became of orders that were to be cancelled. Orders of ours among them end as cancelled; all gone is no refusal.
 * What follows from another intent has nobody to ask again: what never reached the exchange is asked anew by an intent that follows.
 */
export function recordCancels(
  db: Db,
  intent: Intent,
  targets: CancelTarget[],
  answer: Answer<{ items: ItemResult[] }>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const result = cancelResult(targets, answer.said.items);
  const cancelled = result.results.filter(({ status }) => status === 'cancelled').map(({ order_id }) => order_id);
  const { wallet, because_of } = intent.asked as CancelAsked & { because_of?: string };
  const left = targets.filter((_, n) => isStillOpen(answer.said.items[n])).map(({ oid }) => oid);
  if (because_of !== undefined && left.length > 0) {
    return succeedAndFollow(db, intent, result, followUp(intent, 'cancel', { wallet, oids: left }));
  }
  return succeedWith(
    db,
    'record_exchange_cancels',
    intent,
    result,
    sql.fragment`
    update orders
    set lifecycle = 'cancelled', executed = executed || '{"status": "cancelled"}'
    where trader = ${wallet}
      and venue = 'exvenue'
      and executed ->> 'ex_order_id' = any(${sql.array(cancelled, 'text')})
      and (select ok from settled)`,
  );
}

const isStillOpen = (item: ItemResult | undefined) => item?.kind === 'rejected' && item.slug === 'still_open';
