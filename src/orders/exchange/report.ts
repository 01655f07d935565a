import type { ItemResult } from '../../adapters/exchange/types.ts';
import { compare } from '../../kernel/decimals.ts';
import type { OrderOutcome } from './evidence.ts';
import type { Placed } from './order.ts';
import { type ExecutionReport, type ExitPrices, type Leg, legsOf } from './rules.ts';

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
