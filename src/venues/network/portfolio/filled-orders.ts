import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import type { OrderUuid } from '../../../kernel/ids.ts';
import { type Dated, isWithin, type Span } from '../../history.ts';
import type { PlacedOrder } from '../../queries.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import { namesPair, shownPair } from './names.ts';
import { exitsOf, quantityOf } from './positions.ts';

type Order = components['schemas']['Order'];

const PLACES = 8;

/** Orders filled within a span, of one pair if given. `placed`: orders placed through this service, by id. */
export function filledOrders(
  filled: DashboardOrder[],
  placed: ReadonlyMap<string, PlacedOrder>,
  span: Span,
  pair: string | undefined,
): Dated<Order>[] {
  return filled.flatMap((order) => {
    const atMs = order.processedMs;
    if (atMs === null || !isWithin(span, atMs) || order.tradePair === null) return [];
    if (pair !== undefined && !namesPair(pair, order.tradePair)) return [];
    return [
      { atMs, id: order.uuid, entry: shownOrder(order, order.tradePair, atMs, placed.get(order.uuid)?.name ?? null) },
    ];
  });
}

function shownOrder(order: DashboardOrder, tradePair: string, atMs: number, name: OrderUuid | null): Order {
  const quantity = quantityOf(order);
  const size = quantity === null ? null : ofNumber(Math.abs(quantity), PLACES);
  const exits = exitsOf([order]);
  const protects = exits.take_profit !== null || exits.stop_loss !== null;
  return {
    ex_order_id: null,
    order_id: name ?? order.uuid,
    client_order_id: name,
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

/** The side of a FLAT order follows from the sign of its quantity. */
function sideOf({ orderType }: DashboardOrder, quantity: number | null): Order['side'] {
  if (orderType === 'LONG' || orderType === 'SHORT') return orderType === 'LONG' ? 'long' : 'short';
  if (quantity === null) return null;
  return quantity < 0 ? 'short' : 'long';
}

const isMarket = ({ executionType }: DashboardOrder) => executionType === 'MARKET' || executionType === 'FLAT_ALL';
