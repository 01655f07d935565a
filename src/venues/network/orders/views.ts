import type { components } from '../../../contract/types.ts';
import { pendingHeaders, resultOf, waitMember } from '../../../intents/follow.ts';
import { effectOf, type Intent } from '../../../intents/intent.ts';
import { errors, isErrorCode } from '../../../kernel/error-codes.ts';
import { nameOf, type OrderUuid } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import { orderResultMembers } from './calls.ts';
import { close } from './close.ts';
import { protect } from './protect.ts';
import type { RecordedOrder } from './queries.ts';
import type { Terms } from './rules.ts';

type Schemas = components['schemas'];

/** The result of an order verb, `pending` until its intent is settled. Throws the recorded problem as an `ApiError`. */
export function orderResult(intent: Intent, orderUuid: OrderUuid = nameOf(intent)): Schemas['NetvenueOrderResult'] {
  const result = resultOf(intent, orderResultMembers);
  return {
    success: result?.success ?? true,
    order_uuid: result?.order_uuid ?? orderUuid,
    processing_time: result?.processing_time ?? seconds(intent.created_at, intent.settled_at),
    status: result ? (result.success === false ? 'rejected' : 'accepted') : 'pending',
    lifecycle: result?.lifecycle ?? null,
    message: result?.message ?? null,
    executed: result?.executed ?? null,
    protection: result?.protection ?? 'none',
    protection_error: result?.protection_error ?? null,
  };
}

/** Where the result of an intent is polled. */
export type Poll = (intent: Intent) => string;

/**
 * The reply to an order verb: the outcome of a settled intent, or 202 and where to poll. `target`: the name of the other order that
 * it is about. Throws with its problem.
 */
export function orderReply(intent: Intent, poll: Poll, target?: OrderUuid) {
  const body = orderResult(intent, target);
  return intent.settled_at === null
    ? {
        status: 202 as const,
        body: { ...body, ...waitMember(intent) },
        headers: pendingHeaders(poll(intent), intent),
      }
    : { status: 200 as const, body };
}

const STATUS = {
  queued: 'pending',
  running: 'pending',
  in_doubt: 'unknown',
  succeeded: 'completed',
  failed: 'failed',
  expired: 'failed',
} as const;

/** An order that ended although nothing proves its effect is not reported as one without an effect. */
const statusOf = (recorded: RecordedOrder) =>
  recorded.state === 'failed' && effectOf(recorded) === 'unknown' ? 'unknown' : STATUS[recorded.state];

type ShownTerms = { trade_pair: string; execution_type: string; order_type: string | null };

/** The shown terms of order verbs that make no order. */
const VERB_TERMS: Record<string, (request: Record<string, unknown>) => ShownTerms> = {
  [close.kind]: (request) => verbTerms(close.request.parse(request).trade_pair, 'FLAT_ALL'),
  [protect.kind]: (request) => verbTerms(protect.request.parse(request).protection.trade_pair, 'BRACKET'),
};

const verbTerms = (trade_pair: string, execution_type: string): ShownTerms => ({
  trade_pair,
  execution_type,
  order_type: 'FLAT',
});

/** The status of an order uuid, from our records. Null for cancels and edits, which are not orders. */
export function orderStatus(recorded: RecordedOrder): Schemas['NetvenueOrderStatus'] | null {
  const terms: ShownTerms | undefined = recorded.order?.terms ?? VERB_TERMS[recorded.kind]?.(recorded.request);
  if (!terms) return null;
  const outcome = recorded.settled_at === null ? null : recorded.outcome;
  const result = outcome && 'result' in outcome ? orderResultMembers.parse(outcome.result) : null;
  return {
    order_uuid: nameOf(recorded),
    status: statusOf(recorded),
    lifecycle: recorded.order?.lifecycle ?? null,
    execution_type: terms.execution_type,
    trade_pair: terms.trade_pair,
    order_type: terms.order_type,
    submitted_at: recorded.created_at,
    completed_at: recorded.settled_at,
    processing_time: result?.processing_time ?? (outcome ? seconds(recorded.created_at, recorded.settled_at) : null),
    message: result?.message ?? (outcome && 'problem' in outcome ? problemText(outcome.problem) : null),
    executed: recorded.order ? recorded.order.executed : (result?.executed ?? null),
    protection: recorded.order?.protection?.state ?? result?.protection ?? 'none',
    protection_error: recorded.order?.protection?.error ?? result?.protection_error ?? null,
    ...ordered(recorded),
  };
}

/** What was ordered, with every accepted edit, and what of its size is still to be executed. */
function ordered(recorded: RecordedOrder) {
  const { order } = recorded;
  const status = statusOf(recorded);
  const { leverage, value, quantity, ...terms }: Partial<Terms> = order?.terms ?? {};
  const size = leverage ?? value ?? quantity ?? null;
  const isLive = status === 'pending' || (status === 'completed' && order?.lifecycle === 'resting');
  return {
    leverage: leverage ?? null,
    value: value ?? null,
    quantity: quantity ?? null,
    remaining: size === null || isLive ? size : status === 'unknown' ? null : 0,
    limit_price: terms.limit_price ?? null,
    stop_price: terms.stop_price ?? null,
    stop_condition: terms.stop_condition ?? null,
    take_profit: terms.take_profit ?? null,
    stop_loss: terms.stop_loss ?? null,
    trailing_stop: terms.trailing_stop ?? null,
    bracket_orders: terms.bracket_orders ?? null,
  };
}

const problemText = ({ message, code }: { message?: string | undefined; code: string }) =>
  message ?? (isErrorCode(code) ? errors[code][1] : code);

const seconds = (from: string, to: string | null) =>
  Math.max(0, (to ? Date.parse(to) : epochMs()) - Date.parse(from)) / 1000;
