import type { ReadResult } from '../../../kernel/upstream-result.ts';
import type { OrderRecord, OrderView } from '../adapter/types.ts';
import type { ExecutionReport, Leg } from './rules.ts';

/** An exit of an order, as the exchange reports it under its client order id. */
export type ObservedLeg = { leg: Leg; record: ReadResult<OrderRecord> };

/** What the result of exits depends on of their order. */
export type EndedParent = Pick<OrderRecord, 'state' | 'word' | 'statusMs'> & {
  order: Pick<OrderView, 'oid' | 'size' | 'originalSize' | 'timeInForce'>;
};

/** The result of the exits of an order. `lost`: the exits that neither the venue nor a command keeps. */
export type ExitsOutcome = { report: Partial<ExecutionReport>; lost: Leg[] };

/** `lagMs`: how far reads may be behind. An exit that is missing for longer after its order ended is lost; one that is open for longer lives. */
type Reading = { nowMs: number; lagMs: number };

/**
 * The result of an order's exits, once the order has ended. Null: the order is still open, or the reads do not show
 * the exits yet: each may come from another replica, so an exit that is open beside an order that ended half-filled may have ended with it. See
 * venues/exchange.md#delayed-reads. Exits that were placed and have ended since, by their fill or by a command, are placed, never lost;
 * those that ended before the order was filled have failed.
 * Exits are lost if the venue ended them together with a partly filled order, unless a command cancelled the order: then
 * they ended with it.
 */
export function exitsOutcome(parent: EndedParent, legs: ObservedLeg[], { nowMs, lagMs }: Reading): ExitsOutcome | null {
  const { state, order } = parent;
  if (state === 'open' || state === 'unknown') return null;
  if (legs.some(({ record }) => record.kind === 'unreadable')) return null;
  const isFilled = state === 'filled';
  if (!isFilled && order.size === order.originalSize) return outcome({ status: 'cancelled', ...FAILED.unfilled });
  const status = isFilled ? 'filled' : order.timeInForce === 'ioc' ? 'partial' : 'cancelled'; // as its placement was recorded
  const missing = legs.filter(({ record }) => record.kind === 'absent').map(({ leg }) => leg);
  const isEarly = nowMs - parent.statusMs < lagMs;
  if (isEarly && (missing.length > 0 || legs.some((leg) => mayHaveEndedWith(parent, leg)))) return null;
  const ended = isFilled ? [] : legs.filter(endedWithOrder).map(({ leg }) => leg);
  if (ended.length > 0 && isCancelledByCommand(parent)) return outcome({ status, ...FAILED.cancelled });
  const ids = { tp_order_id: oidOf(legs, 'tp'), sl_order_id: oidOf(legs, 'sl') };
  const lost = [...missing, ...ended];
  if (lost.length > 0) return { report: { status, ...ids, ...REPLACED }, lost };
  return outcome({ status, ...ids, ...placedReport(parent, legs) });
}

const outcome = (report: Partial<ExecutionReport>): ExitsOutcome => ({ report, lost: [] });

const FAILED = {
  unfilled: { trigger_status: 'failed', trigger_error: 'The order ended without being filled.' },
  cancelled: { trigger_status: 'failed', trigger_error: 'The exits were cancelled with the order.' },
} as const;
const REPLACED = {
  trigger_status: 'partial_failure',
  trigger_error:
    'The exits ended with the order. New ones are placed for the position, unless the market has passed them.',
} as const;

/** See venues/exchange.md#order-statuses. Only `canceled` and `scheduledCancel` follow a command; an IOC order's rest is dropped. */
export const isCancelledByCommand = ({
  word,
  order,
}: {
  word?: string;
  order: Pick<OrderView, 'timeInForce'>;
}): boolean => (word === 'canceled' && order.timeInForce !== 'ioc') || word === 'scheduledCancel';

/** Whether an exit that is shown as open may have ended with its order. Those of an IOC order live from its end on. */
const mayHaveEndedWith = ({ state, order }: EndedParent, { record }: ObservedLeg): boolean =>
  state !== 'filled' && order.timeInForce !== 'ioc' && record.kind === 'found' && record.data.state === 'open';

/** Whether an exit was cancelled while its order was not filled; other ends of an exit follow the position's end. */
const endedWithOrder = ({ record }: ObservedLeg): boolean =>
  record.kind === 'found' && record.data.state === 'cancelled' && record.data.word === 'canceled';

function placedReport(
  parent: EndedParent,
  legs: ObservedLeg[],
): Pick<ExecutionReport, 'trigger_status' | 'trigger_error'> {
  const failed = legs.flatMap((leg) =>
    leg.record.kind === 'found' && (leg.record.data.state === 'rejected' || endedBefore(parent, leg))
      ? [leg.record.data]
      : [],
  );
  const [first] = failed;
  if (!first) return { trigger_status: 'placed', trigger_error: null };
  return {
    trigger_status: failed.length === legs.length ? 'failed' : 'partial_failure',
    trigger_error: first.state === 'rejected' ? (first.rejected?.message ?? REJECTED) : NEVER_LIVED,
  };
}

const REJECTED = 'The exchange rejected an exit.';
const NEVER_LIVED = 'An exit was cancelled before the order was filled.';

/** Whether an exit was cancelled while it waited, as with a change of its order at the exchange: it has protected nothing. */
const endedBefore = ({ state, statusMs }: EndedParent, leg: ObservedLeg): boolean =>
  state === 'filled' && endedWithOrder(leg) && leg.record.kind === 'found' && leg.record.data.statusMs < statusMs;

function oidOf(legs: ObservedLeg[], wanted: Leg): string | null {
  const record = legs.find(({ leg }) => leg === wanted)?.record;
  return record?.kind === 'found' && record.data.state !== 'rejected' ? String(record.data.order.oid) : null;
}
