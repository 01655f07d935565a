import type { Reply } from '../../../adapters/http.ts';
import { newPause } from '../../../kernel/concurrency.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { anyOf, entriesOf, type Fields, fieldsOf, limitOf, readPair, readResponse, textOf } from './fields.ts';
import { readMultiples } from './limits.ts';
import { readOrder } from './orders.ts';
import type { DashboardOrder, OrderBook, TradePair } from './types.ts';

/**
 * Reads orders, grouped by state. The response has every group that was requested. A partly readable one is unreadable: it must never
 * prove that an order is missing. See venues/network-validator.md#validator-rest.
 */
export async function ordersResponse(reply: Reply): Promise<ReadResult<OrderBook>> {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const pause = newPause(); // a trader may have tens of thousands
  const groups = [response.data.unfilled, response.data.filled, response.data.cancelled];
  const [unfilled, filled, cancelled] = await Promise.all(groups.map((group) => readGroup(group, pause)));
  return unfilled && filled && cancelled ? found({ unfilled, filled, cancelled }) : unreadable('not all orders listed');
}

/** Null if one of them cannot be read. */
async function readGroup(group: unknown, pause: ReturnType<typeof newPause>): Promise<DashboardOrder[] | null> {
  const entries = entriesOf(group);
  if (entries === null) return null;
  const orders: DashboardOrder[] = [];
  for (const [key, member] of entries) {
    await pause();
    const order = readOrder(member, key);
    if (order === null) return null;
    orders.push(order);
  }
  return orders;
}

/**
 * Reads the registry of pairs, in the newer format (`allowed`, `deprecated`, `disabled`) or the older one (`allowed_trade_pairs`). Unreadable if not
 * a single pair can be read: else every pair would count as unknown. See venues/network-validator.md#pairs.
 */
export const tradePairsResponse = (reply: Reply): ReadResult<TradePair[]> => {
  const response = readResponse(reply);
  if (response.kind !== 'found') return response;
  const allowed = anyOf(response.data, 'allowed', 'allowed_trade_pairs');
  const open = readPairs(allowed, 'allowed');
  const closing = [
    ...readPairs(response.data.deprecated, 'reduce_only'),
    ...readPairs(response.data.disabled, 'disabled'),
  ];
  const isRead = Array.isArray(allowed) && open.length + (allowed.length === 0 ? closing.length : 0) > 0;
  return isRead ? found([...open, ...closing]) : unreadable('no pairs listed');
};

const readPairs = (value: unknown, state: TradePair['state']): TradePair[] =>
  (entriesOf(value) ?? []).flatMap(([, member]) => {
    const pair = fieldsOf(member);
    const tradePair = pair && readPair(pair.trade_pair_id);
    return pair && tradePair ? pairOf(pair, tradePair, state) : [];
  });

const pairOf = (pair: Fields, tradePair: string, state: TradePair['state']): TradePair => ({
  tradePair,
  display: textOf(pair.trade_pair) ?? tradePair,
  category: textOf(pair.trade_pair_category) ?? 'unknown',
  source: textOf(pair.trade_pair_source),
  state,
  maxLeverage: limitOf(pair.max_leverage),
  exCoin: textOf(pair.hl_coin),
  leverageByTier: readMultiples(
    anyOf(pair, 'standard_positional_leverage_by_tier', 'subaccount_positional_leverage_by_tier'),
  ),
});
