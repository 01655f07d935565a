import type { Dashboard, DashboardOrder, DashboardPosition } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { exitsOf, namesOf, quantityOf, timeOf } from '../positions/network.ts';
import type { PlacedOrder } from '../queries.ts';
import { namesPair, shownPair } from '../rules.ts';
import { known } from '../traders.ts';
import { type Dated, isWithin, type Span } from './pages.ts';

type Schemas = components['schemas'];
type ClosedPosition = Schemas['ClosedPosition'];

const PLACES = 8;

/** Positions that were closed within a span, of one pair where asked. */
export function closedPositions(
  { elimination }: Dashboard,
  positions: DashboardPosition[],
  span: Span,
  pair: string | undefined,
): Dated<ClosedPosition>[] {
  return positions.flatMap((position) => {
    const { closeMs, uuid, tradePair } = position;
    if (closeMs === null || !isWithin(span, closeMs)) return [];
    if (pair !== undefined && !namesPair(pair, tradePair)) return [];
    return [{ atMs: closeMs, id: uuid, entry: shownClosed(position, closeMs, elimination?.atMs ?? null) }];
  });
}

function shownClosed(position: DashboardPosition, closeMs: number, eliminatedMs: number | null): ClosedPosition {
  const { side, size } = largest(position);
  const entry = known(position.averageEntryPrice);
  return {
    ...namesOf(position),
    side,
    size: ofNumber(size, PLACES),
    position_value: ofNumber(entryValue(position, size, entry), PLACES),
    entry_price: ofNumber(entry),
    mark_price: null,
    liquidation_price: null,
    unrealized_pnl: '0',
    ...exitsOf([...position.filledOrders, ...position.unfilledOrders]),
    open_time: timeOf(position.openMs),
    net_leverage: null,
    fees: position.feesTotal === null ? null : ofNumber(position.feesTotal, PLACES),
    realized_pnl: ofNumber(known(position.realizedPnl), PLACES),
    close_time: new Date(closeMs).toISOString(),
    close_reason: reasonOf(position, eliminatedMs !== null && closeMs >= eliminatedMs),
  };
}

/** What a position held at its largest. A closed one is shown as FLAT: the order that opened it tells its side. */
function largest({ filledOrders, side }: DashboardPosition): { side: 'long' | 'short'; size: number } {
  const orders = [...filledOrders].sort((a, b) => (a.processedMs ?? 0) - (b.processedMs ?? 0));
  let held = 0;
  let most = 0;
  for (const order of orders) {
    held += known(quantityOf(order));
    if (Math.abs(held) > Math.abs(most)) most = held;
  }
  const opened = side === 'FLAT' ? orders[0]?.orderType : side;
  return { side: opened === 'SHORT' ? 'short' : 'long', size: Math.abs(most) };
}

/** What the venue said the opening orders were worth, else size times price. */
function entryValue({ filledOrders }: DashboardPosition, size: number, entry: number): number {
  const first = filledOrders.find(({ value, quantity }) => value !== null && quantity);
  if (!first) return size * entry;
  return Math.abs(Number(first.value) / Number(first.quantity)) * size;
}

/** Venue facts: order source codes. Compact payloads leave them out; there the kind of the last order tells. */
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

/** Which of its two prices a bracket filled nearer to. */
function exitThatFilled({ price, takeProfit, stopLoss }: DashboardOrder): 'take_profit' | 'stop_loss' {
  if (takeProfit === null || price === null) return 'stop_loss';
  if (stopLoss === null) return 'take_profit';
  return Math.abs(price - takeProfit) <= Math.abs(price - stopLoss) ? 'take_profit' : 'stop_loss';
}

/** Filled orders of a span, of one pair where asked. `own`: those that came through this service. */
export function filledOrders(
  filled: DashboardOrder[],
  own: ReadonlyMap<string, PlacedOrder>,
  span: Span,
  pair: string | undefined,
): Dated<Schemas['Order']>[] {
  return filled.flatMap((order) => {
    const atMs = order.processedMs;
    if (atMs === null || !isWithin(span, atMs) || order.tradePair === null) return [];
    if (pair !== undefined && !namesPair(pair, order.tradePair)) return [];
    return [{ atMs, id: order.uuid, entry: shownOrder(order, order.tradePair, atMs, own.has(order.uuid)) }];
  });
}

function shownOrder(order: DashboardOrder, tradePair: string, atMs: number, isOwn: boolean): Schemas['Order'] {
  const quantity = quantityOf(order);
  const size = quantity === null ? null : ofNumber(Math.abs(quantity), PLACES);
  const exits = exitsOf([order]);
  const protects = exits.take_profit !== null || exits.stop_loss !== null;
  return {
    ex_order_id: null,
    order_id: order.uuid,
    client_order_id: isOwn ? order.uuid : null,
    pair: shownPair(tradePair),
    side: sideOf(order, quantity),
    size,
    filled_size: size,
    order_type: isMarket(order) ? 'market' : 'limit',
    status: 'filled',
    fill_price: order.price === null ? null : ofNumber(order.price),
    limit_price: order.limitPrice === null ? null : ofNumber(order.limitPrice),
    ...exits,
    tp_order_id: null,
    sl_order_id: null,
    trigger_status: protects && order.executionType !== 'BRACKET' ? 'placed' : 'not_requested',
    trigger_error: null,
    created_at: new Date(atMs).toISOString(),
  };
}

/** A FLAT order sells what was held: its quantity is signed. */
function sideOf({ orderType }: DashboardOrder, quantity: number | null): Schemas['Order']['side'] {
  if (orderType === 'LONG' || orderType === 'SHORT') return orderType === 'LONG' ? 'long' : 'short';
  if (quantity === null) return null;
  return quantity < 0 ? 'short' : 'long';
}

const isMarket = ({ executionType }: DashboardOrder) => executionType === 'MARKET' || executionType === 'FLAT_ALL';
