import type { components } from '../../../contract/types.ts';
import type { Intent } from '../../../intents/intent.ts';
import { compare, isPositive } from '../../../kernel/decimals.ts';
import { displayPair } from '../../../kernel/exchange-names.ts';
import { nameOf } from '../../../kernel/ids.ts';
import type { OrderView } from '../adapter/types.ts';
import { filledSizeOf } from '../filled.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import type { ExchangeTerms, ExecutionReport } from './rules.ts';

type Order = components['schemas']['Order'];

/** What is known of a closing before its position was read. */
export const NOTHING_KNOWN = { take_profit: null, stop_loss: null, size: '0', size_in_usd: true, price: null };

/** The terms of an order that are shown. */
export type ShownTerms = Pick<Order, 'pair' | 'side' | 'order_type' | 'take_profit' | 'stop_loss'>;

/** The execution report of an order that is not executed yet. */
export const pendingReport = (
  terms: Pick<ExchangeTerms, 'take_profit' | 'stop_loss' | 'size' | 'size_in_usd' | 'price'>,
): ExecutionReport => ({
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

/** An order of this service in the shape of the contract. */
export const shownOrder = (
  intent: Pick<Intent, 'id' | 'given_id' | 'created_at'>,
  terms: ShownTerms,
  report: ExecutionReport,
): Order => ({
  ...report,
  order_id: nameOf(intent),
  client_order_id: nameOf(intent),
  pair: terms.pair,
  side: terms.side,
  order_type: terms.order_type,
  take_profit: terms.take_profit,
  stop_loss: terms.stop_loss,
  created_at: intent.created_at,
});

/** The terms of a market order that closes a position. The side is null until the position is read. */
export const closingTerms = (pair: string, side: Order['side'] = null) => ({
  pair,
  side,
  order_type: 'market' as const,
  take_profit: null,
  stop_loss: null,
});

/**
 * An open order as the exchange reports it, joined with our record if it was placed through this service. A read that shows less
 * filled than is recorded is behind.
 */
export function openOrder(order: OrderView, recorded: RecordedExchangeOrder | undefined): Order {
  const report = recorded?.executed;
  const filled = largest(filledSizeOf(order, 'open'), report?.filled_size ?? null);
  const isAllKnown = filled !== null && report?.filled_size != null && compare(filled, report.filled_size) === 0;
  const exit = order.reduceOnly ? order.exit : null; // other triggers are entries
  return {
    ex_order_id: String(order.oid),
    order_id: recorded ? nameOf(recorded) : null,
    client_order_id: recorded ? nameOf(recorded) : null,
    pair: displayPair(order.coin),
    side: order.side === 'buy' ? 'long' : 'short',
    size: order.originalSize,
    filled_size: filled,
    order_type: order.orderType?.toLowerCase().includes('market') ? 'market' : 'limit',
    status: filled !== null && isPositive(filled) ? 'partial' : 'open',
    fill_price: isAllKnown ? report.fill_price : null,
    limit_price: order.limitPrice,
    take_profit: exit === 'tp' ? order.triggerPrice : (recorded?.terms.take_profit ?? null),
    stop_loss: exit === 'sl' ? order.triggerPrice : (recorded?.terms.stop_loss ?? null),
    tp_order_id: report?.tp_order_id ?? null,
    sl_order_id: report?.sl_order_id ?? null,
    trigger_status: report?.trigger_status ?? 'not_requested',
    trigger_error: report?.trigger_error ?? null,
    created_at: new Date(order.placedMs).toISOString(),
  };
}

const largest = (a: string | null, b: string | null) => (a === null || (b !== null && compare(b, a) > 0) ? b : a);
