import type { OrderView } from '../../adapters/exvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Intent } from '../../intents/intent.ts';
import { minus } from '../../kernel/decimals.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import { displayPair, type ExchangeTerms, type Told } from './rules.ts';

type Order = components['schemas']['Order'];

/** An order of which nothing has been told yet. */
export const untold = (
  terms: Pick<ExchangeTerms, 'take_profit' | 'stop_loss' | 'size' | 'size_in_usd' | 'price'>,
): Told => ({
  ex_order_id: null,
  status: 'pending',
  size: terms.size_in_usd ? null : terms.size,
  filled_size: null,
  fill_price: null,
  limit_price: terms.price,
  tp_order_id: null,
  sl_order_id: null,
  trigger_status: terms.take_profit === null && terms.stop_loss === null ? 'not_requested' : 'pending_parent_fill',
  trigger_error: null,
});

/** An order of this service as it is shown. */
export const shownOrder = (
  { id, created_at }: Pick<Intent, 'id' | 'created_at'>,
  terms: Pick<Order, 'pair' | 'side' | 'order_type' | 'take_profit' | 'stop_loss'>,
  told: Told,
): Order => ({
  ...told,
  order_id: id,
  client_order_id: id,
  pair: terms.pair,
  side: terms.side,
  order_type: terms.order_type,
  take_profit: terms.take_profit,
  stop_loss: terms.stop_loss,
  created_at,
});

/** A market order that closes a position; its side is unknown until the position has been read. */
export const closingTerms = (pair: string, side: Order['side'] = null) => ({
  pair,
  side,
  order_type: 'market' as const,
  take_profit: null,
  stop_loss: null,
});

/** An open order as the exchange shows it now, joined with our record of it where it came through this service. */
export function openOrder(order: OrderView, own: RecordedExchangeOrder | undefined): Order {
  const told = own?.executed;
  return {
    ex_order_id: String(order.oid),
    order_id: own?.id ?? null,
    client_order_id: own?.id ?? null,
    pair: displayPair(order.coin),
    side: order.side === 'buy' ? 'long' : 'short',
    size: order.originalSize,
    filled_size: minus(order.originalSize, order.size),
    order_type: order.orderType?.toLowerCase().includes('market') ? 'market' : 'limit',
    status: order.size === order.originalSize ? 'open' : 'partial',
    fill_price: null,
    limit_price: order.limitPrice,
    take_profit: order.exit === 'tp' ? order.triggerPrice : (own?.terms.take_profit ?? null),
    stop_loss: order.exit === 'sl' ? order.triggerPrice : (own?.terms.stop_loss ?? null),
    tp_order_id: told?.tp_order_id ?? null,
    sl_order_id: told?.sl_order_id ?? null,
    trigger_status: told?.trigger_status ?? 'not_requested',
    trigger_error: told?.trigger_error ?? null,
    created_at: new Date(order.placedMs).toISOString(),
  };
}
