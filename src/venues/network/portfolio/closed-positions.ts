import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { requireValue } from '../../found.ts';
import { type Dated, isWithin, type Span } from '../../history.ts';
import type { Dashboard, DashboardOrder, DashboardPosition } from '../adapter/types.ts';
import { namesPair } from './names.ts';
import { exitsOf, namesOf, quantityOf, returnOf, timeOf } from './positions.ts';

type ClosedPosition = components['schemas']['ClosedPosition'];

const PLACES = 8;

/** Positions closed within a span, of one pair if given. Throws VENUE_UNREADABLE if one of those that are closed cannot be read. */
export function closedPositions(
  { elimination, reported }: Dashboard,
  positions: DashboardPosition[],
  span: Span,
  pair: string | undefined,
): Dated<ClosedPosition>[] {
  if (!reported.closed) throw new ApiError('VENUE_UNREADABLE');
  return positions.flatMap((position) => {
    const { closeMs, uuid, tradePair } = position;
    if (closeMs === null || !isWithin(span, closeMs)) return [];
    if (pair !== undefined && !namesPair(pair, tradePair)) return [];
    return [{ atMs: closeMs, id: uuid, entry: shownClosed(position, closeMs, elimination?.atMs ?? null) }];
  });
}

function shownClosed(position: DashboardPosition, closeMs: number, eliminatedMs: number | null): ClosedPosition {
  const { side, size, value } = largest(position);
  const entry = requireValue(position.averageEntryPrice);
  return {
    ...namesOf(position),
    side,
    position_type: side === 'short' ? 'SHORT' : 'LONG',
    size: ofNumber(size, PLACES),
    position_value: ofNumber(value ?? entryValue(position, size, entry), PLACES),
    entry_price: ofNumber(entry),
    mark_price: null,
    liquidation_price: null,
    unrealized_pnl: '0',
    ...exitsOf([...position.filledOrders, ...position.unfilledOrders]),
    open_time: timeOf(position.openMs),
    net_leverage: null,
    current_return: returnOf(position),
    fees: position.feesTotal === null ? null : ofNumber(position.feesTotal, PLACES),
    realized_pnl: ofNumber(requireValue(position.realizedPnl), PLACES),
    close_time: new Date(closeMs).toISOString(),
    close_reason: reasonOf(position, eliminatedMs !== null && closeMs >= eliminatedMs),
  };
}

/**
 * The side and largest size of a position, and its value then, at entry prices; null if an order that enlarged it lacks its value. A closed one is
 * reported as FLAT, so its side is that of its opening order. Throws VENUE_UNREADABLE without orders, of which every position has one.
 */
function largest({ filledOrders, side }: DashboardPosition): {
  side: 'long' | 'short';
  size: number;
  value: number | null;
} {
  const orders = [...filledOrders].sort((a, b) => (a.processedMs ?? 0) - (b.processedMs ?? 0));
  const opening = requireValue(orders[0]);
  let quantity = 0;
  let value: number | null = 0;
  let max: { size: number; value: number | null } = { size: 0, value };
  for (const order of orders) {
    const before = quantity;
    quantity += requireValue(quantityOf(order));
    const [size, from] = [Math.abs(quantity), Math.abs(before)];
    if (value !== null && size > from) value = order.value === null ? null : value + Math.abs(order.value);
    else if (value !== null) value *= from === 0 ? 0 : size / from;
    if (size > max.size) max = { size, value };
  }
  const opened = side === 'FLAT' ? opening.orderType : side;
  return { side: opened === 'SHORT' ? 'short' : 'long', ...max };
}

/**
 * About the entry value of a size, by value ÷ quantity of a filled order; size × entry price if the venue reports no value.
 */
function entryValue({ filledOrders }: DashboardPosition, size: number, entry: number): number {
  const first = filledOrders.find(({ value, quantity }) => value !== null && quantity);
  if (!first) return size * entry;
  return Math.abs(Number(first.value) / Number(first.quantity)) * size;
}

/** See venues/network-validator.md#order-source-codes. Compact payloads omit them; then the type of the last order decides. */
const REASONS: Record<number, ClosedPosition['close_reason']> = {
  0: 'trader',
  1: 'elimination',
  2: 'other',
  3: 'elimination',
  4: 'other',
  6: 'trader',
  11: 'trader',
  12: 'promotion',
  14: 'trader',
  16: 'trader',
  17: 'other',
};

function reasonOf(position: DashboardPosition, isEliminated: boolean): ClosedPosition['close_reason'] {
  const last = position.filledOrders.reduce<DashboardOrder | null>(
    (latest, order) => ((order.processedMs ?? 0) >= (latest?.processedMs ?? 0) ? order : latest),
    null,
  );
  if (!last) return isEliminated ? 'elimination' : null;
  if (last.source === BRACKET_FILLED || last.executionType === 'BRACKET') return exitThatFilled(last);
  if (last.source !== null) return REASONS[last.source] ?? 'other';
  if (isEliminated && last.executionType === 'FLAT_ALL') return 'elimination';
  return last.executionType === null ? null : 'trader';
}

const BRACKET_FILLED = 9;

/** The exit whose price is nearer to the fill price of a bracket. */
function exitThatFilled({ price, takeProfit, stopLoss }: DashboardOrder): 'take_profit' | 'stop_loss' {
  if (takeProfit === null || price === null) return 'stop_loss';
  if (stopLoss === null) return 'take_profit';
  return Math.abs(price - takeProfit) <= Math.abs(price - stopLoss) ? 'take_profit' : 'stop_loss';
}
