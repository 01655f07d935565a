import type { components } from '../../../contract/types.ts';
import { newPause } from '../../../kernel/concurrency.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { requireValue } from '../../found.ts';
import { type Dated, isWithin, type Span } from '../../history.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import { NO_PROTECTION, PLACED, type Protection } from '../orders/rules.ts';
import { placedAs } from '../orders/venue-records.ts';
import { namesPair, shownPair } from './names.ts';
import { exitsOf, quantityOf } from './positions.ts';
import type { OwnOrder } from './queries.ts';

type Order = components['schemas']['Order'];

const PLACES = 8;

/**
 * Orders filled within a span, of one pair if given. `placed`: orders placed through this service, by the venue's id. Throws VENUE_UNREADABLE for one
 * without its time or pair: a history is never shown in part.
 */
export async function filledOrders(
  filled: DashboardOrder[],
  placed: ReadonlyMap<string, OwnOrder>,
  span: Span,
  pair: string | undefined,
): Promise<Dated<Order>[]> {
  const pause = newPause();
  const shown: Dated<Order>[] = [];
  for (const order of filled) {
    await pause();
    const atMs = requireValue(order.processedMs);
    const tradePair = requireValue(order.tradePair);
    if (!isWithin(span, atMs) || (pair !== undefined && !namesPair(pair, tradePair))) continue;
    const own = placed.get(placedAs(order.uuid)) ?? null;
    shown.push({ atMs, id: order.uuid, entry: shownOrder(order, tradePair, atMs, own) });
  }
  return shown;
}

function shownOrder(order: DashboardOrder, tradePair: string, atMs: number, own: OwnOrder | null): Order {
  const quantity = quantityOf(order);
  const size = quantity === null ? null : ofNumber(Math.abs(quantity), PLACES);
  const exits = exitsOf([order]);
  return {
    ex_order_id: null,
    order_id: own?.name ?? order.uuid,
    client_order_id: own?.name ?? null,
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
    ...triggerOf(order, own),
    created_at: new Date(atMs).toISOString(),
  };
}

const TRIGGER_STATUS = { none: 'not_requested', placed: 'placed', failed: 'failed' } as const;

/** What became of the exits that an order carried: as recorded, else those that the venue shows were accepted with it. */
function triggerOf(order: DashboardOrder, own: OwnOrder | null): Pick<Order, 'trigger_status' | 'trigger_error'> {
  if (order.executionType === 'BRACKET') return { trigger_status: 'not_requested', trigger_error: null };
  const { state, error } = own?.protection ?? protectionWhenShown(order);
  return { trigger_status: TRIGGER_STATUS[state], trigger_error: error };
}

const protectionWhenShown = ({ takeProfit, stopLoss }: DashboardOrder): Protection =>
  takeProfit !== null || stopLoss !== null ? PLACED : NO_PROTECTION;

/** The side of a FLAT order follows from the sign of its quantity. */
function sideOf({ orderType }: DashboardOrder, quantity: number | null): Order['side'] {
  if (orderType === 'LONG' || orderType === 'SHORT') return orderType === 'LONG' ? 'long' : 'short';
  if (quantity === null) return null;
  return quantity < 0 ? 'short' : 'long';
}

const isMarket = ({ executionType }: DashboardOrder) => /^(MARKET|FLAT_ALL)$/.test(requireValue(executionType));
