import { z } from 'zod';
import type { Finding, IntentOf, SendLimits, SentRequest } from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { compare } from '../../../kernel/decimals.ts';
import { cloidOf } from '../../../kernel/exchange-names.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import { accepted, type UpstreamResult, unknownEffect, unreachable } from '../../../kernel/upstream-result.ts';
import type { ItemResult, OrderTerms, Posted } from '../adapter/action-types.ts';
import { type Signed, signedMembers } from '../signing/sign.ts';
import {
  areReadsSettled,
  type ExchangeDeps,
  exchangeTiming,
  type FollowUp,
  hasExpired,
  post,
  reconcileOrBurn,
  sendingLimits,
} from './calls.ts';
import { findOrder, type OrderOutcome, type OrderSought } from './evidence.ts';
import { type ExecutionReport, type ExitPrices, type Leg, legsOf } from './rules.ts';

/** The outcome of an order, and of the exits sent with it, in the order of sending. */
export type Placed = { order: OrderOutcome; exits: ItemResult[] };

/** Payload members of a verb that sends an order: the signed bodies, and the data to reconcile and record it. */
export const orderPayload = {
  ...signedMembers,
  cloid: z.string(),
  coin: z.string(),
  size: z.string(),
  price: z.string(),
};

type OrderPayload = Signed & { cloid: string; coin: string; size: string; price: string };

/** The payload of a signed order. */
export const payloadOf = (
  signed: Signed,
  { intentId, coin, order }: { intentId: IntentId; coin: string; order: OrderTerms },
): OrderPayload => ({ ...signed, cloid: cloidOf(intentId), coin, size: order.size, price: order.price });

/**
 * Posts the signed bodies of an order. The last one is the order; it is sent only if the bodies before it (the
 * leverage) are accepted. Otherwise nothing counts as sent, because setting a leverage twice is harmless. A process
 * that stops in between needs no guard, because the bodies expire.
 */
export async function sendOrder(
  { payload }: SentRequest<unknown, OrderPayload>,
  deps: ExchangeDeps,
  limits: SendLimits,
): Promise<UpstreamResult<Placed>> {
  const last = payload.posts.length - 1;
  const withinLimits = sendingLimits(exchangeTiming(deps), limits);
  for (const [n, { body }] of payload.posts.entries()) {
    const result = await post(deps, payload, body, withinLimits);
    if (n === last) return result.kind === 'accepted' ? placedResult(result.data) : result;
    if (result.kind === 'rejected') return result;
    if (result.kind !== 'accepted') return unreachable('the leverage could not be set; the order was not sent');
  }
  return unknownEffect('nothing was posted');
}

/** The first item is the order itself; the others are its exits. */
function placedResult({ items: [order, ...exits] }: Posted): UpstreamResult<Placed> {
  if (!order) return unknownEffect('a response without items');
  if (order.kind === 'rejected') return order;
  if (order.kind === 'resting' || order.kind === 'filled') return accepted({ order, exits });
  return unknownEffect(`the order is ${order.kind}`);
}

/**
 * Reconciles an order by its cloid. Its exits are not read; they count as waiting for the fill. Only the last body is the
 * order: whether the leverage was set says nothing about it.
 */
export const reconcileOrder = (
  sent: SentRequest<FollowUp & { terms: { reduce_only: boolean } }, OrderPayload>,
  deps: ExchangeDeps,
): Promise<Finding<Placed>> =>
  reconcileBy(sent, deps, async (sought) => {
    const { reduce_only: reduceOnly } = sent.intent.request.terms;
    const finding = await findOrder(deps.exvenue, { ...sought, reduceOnly });
    return finding.kind === 'accepted' ? accepted({ order: finding.data, exits: [] }) : finding;
  });

/** Reconciles the order of the last body with `find`. Its absence counts after all reads, and once its nonce is burnt. */
export const reconcileBy = <Result>(
  { intent, payload }: SentRequest<FollowUp, OrderPayload>,
  deps: ExchangeDeps,
  find: (sought: OrderSought) => Promise<Finding<Result>>,
): Promise<Finding<Result>> => {
  const last = { ...payload, posts: payload.posts.slice(-1) };
  return reconcileOrBurn({ intent, payload: last }, deps, async () => {
    const { account, cloid, coin } = payload;
    const sinceMs = Date.parse(String(intent.sending_at));
    const thorough = isThorough(intent) || (await areReadsSettled(intent, last, deps));
    const expired = hasExpired(intent, deps) && thorough;
    const finding = await find({ account, cloid, coin, sinceMs, expired });
    if (finding.kind === 'absent' && !thorough) return unknownEffect('only the newest orders were read');
    return finding;
  });
};

const ALL_THOROUGH = 12; // about two minutes
const SELDOM = 6;

/** Reads of fills and open orders cost twenty times as much as one of the order. After minutes they become rare, as later all look-ups are. */
const isThorough = ({ reconcile_attempts }: Pick<IntentOf<unknown>, 'reconcile_attempts'>): boolean =>
  reconcile_attempts <= ALL_THOROUGH || reconcile_attempts % SELDOM === 0;

/** The size and price that were sent. */
type SentOrder = { size: string; price: string };

/** The execution report of an order and of the exits sent with it. */
export function reportOf({ order, exits }: Placed, sent: SentOrder, requested: ExitPrices): ExecutionReport {
  const filled = order.kind === 'filled' ? order.filledSize : null;
  return {
    ex_order_id: String(order.oid),
    status: statusOf(order, sent),
    size: sent.size,
    filled_size: filled ?? '0',
    fill_price: order.kind === 'filled' ? order.averagePrice : null,
    limit_price: sent.price,
    ...exitsReport(exits, requested, filled !== null),
  };
}

function statusOf(order: OrderOutcome, { size }: SentOrder): ExecutionReport['status'] {
  if (order.kind !== 'filled') return order.kind === 'resting' ? 'open' : 'cancelled';
  return compare(order.filledSize, size) < 0 ? 'partial' : 'filled';
}

/**
 * Exits without a number wait for the fill of their order or, after it, until `watchExits` finds their numbers: the venue
 * does not report them with the order.
 */
function exitsReport(exits: ItemResult[], requested: ExitPrices, parentFilled: boolean) {
  const legs = legsOf(requested);
  const rejected = exits.filter((exit) => exit.kind === 'rejected');
  const oid = (leg: Leg) => {
    const exit = exits[legs.indexOf(leg)];
    return exit?.kind === 'resting' ? String(exit.oid) : null;
  };
  const placed = parentFilled && exits.length > 0 && exits.every(({ kind }) => kind === 'resting');
  return {
    tp_order_id: legs.includes('tp') ? oid('tp') : null,
    sl_order_id: legs.includes('sl') ? oid('sl') : null,
    trigger_status: triggerStatus(legs.length, rejected.length, placed),
    trigger_error: rejected[0]?.message ?? null,
  };
}

function triggerStatus(requested: number, rejected: number, placed: boolean): ExecutionReport['trigger_status'] {
  if (requested === 0) return 'not_requested';
  if (rejected === requested) return 'failed';
  if (rejected > 0) return 'partial_failure';
  return placed ? 'placed' : 'pending_parent_fill';
}

/** A failure for amounts that are invalid for the asset. `slug` is the venue's name for the fault. */
export const invalidOrder = (slug: string): { fail: Problem } => ({
  fail: {
    code: 'V1_ORDER_INVALID',
    reason: slug,
    message: MESSAGES[slug] ?? 'The amounts of the order are invalid for its asset.',
  },
});

const MESSAGES: Record<string, string> = {
  invalid_price: 'The price is not a multiple of the tick size of this asset.',
  tick_size: 'The price is not a multiple of the tick size of this asset.',
  lot_size: 'The size is smaller than the lot size of this asset.',
  invalid_size: 'The size must be greater than zero.',
  below_minimum: 'The value of the order is below 10 USD, the minimum of the exchange.',
  bad_trigger_price: 'A trigger price is not a multiple of the tick size of this asset.',
};
