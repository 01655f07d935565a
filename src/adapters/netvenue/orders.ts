import { parseJson } from '../http.ts';
import { anyOf, type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import type { DashboardOrder, Executed, OrderType, TrailingStop } from './types.ts';

/**
 * One order in either spelling: compact (`t l q pr v e p lp sl tk tsl sp cond`) or verbose.
 * Null where it has no name of its own and none is given. Venue facts: validator REST API, v2 dashboard.
 */
export const readOrder = (value: unknown, key: string | null = null): DashboardOrder | null => {
  const order = fieldsOf(value);
  const uuid = order && (textOf(anyOf(order, 'order_uuid', 'uuid')) ?? key);
  if (!order || !uuid) return null;
  return {
    uuid,
    tradePair: readPair(anyOf(order, 'trade_pair_id', 'trade_pair', 'tp')),
    orderType: readSide(anyOf(order, 'order_type', 't')),
    executionType: textOf(anyOf(order, 'execution_type', 'e')),
    ...readSizes(order),
    price: readPrice(anyOf(order, 'price', 'pr')),
    limitPrice: readPrice(anyOf(order, 'limit_price', 'lp')),
    stopPrice: readPrice(anyOf(order, 'stop_price', 'sp')),
    stopCondition: textOf(anyOf(order, 'stop_condition', 'cond')),
    stopLoss: readPrice(anyOf(order, 'stop_loss', 'sl')),
    takeProfit: readPrice(anyOf(order, 'take_profit', 'tk')),
    trailingStop: readTrailingStop(anyOf(order, 'trailing_stop', 'tsl')),
    processedMs: numberOf(anyOf(order, 'processed_ms', 'p')),
    source: numberOf(order.src),
  };
};

/** What an `order_json` says was executed; null where it is missing or no JSON (older builds sent a Python literal). */
export const readExecuted = (orderJson: unknown): { executed: Executed; capped: boolean } | null => {
  const order = fieldsOf(typeof orderJson === 'string' ? parseJson(orderJson) : orderJson);
  if (!order) return null;
  return {
    executed: { order_type: readSide(order.order_type), ...readSizes(order), price: readPrice(order.price) },
    capped: textOf(order.binding_cap) !== null,
  };
};

/** The wire id of a pair given as an id, a display form (`BTC/USDC`), an object, or the array verbose payloads use. */
export const readPair = (value: unknown): string | null => {
  const first = Array.isArray(value) ? value[0] : (fieldsOf(value)?.trade_pair_id ?? value);
  return textOf(first)?.replaceAll('/', '') ?? null;
};

/** `LONG`, also from `OrderType.LONG` as some builds print it; null for anything that is no side. */
export const readSide = (value: unknown): OrderType | null => {
  const word = textOf(value)?.split('.').pop()?.toUpperCase();
  return word === 'LONG' || word === 'SHORT' || word === 'FLAT' ? word : null;
};

/** Sizes keep the venue's sign: negative for SHORT. */
const readSizes = (order: Fields) => ({
  leverage: numberOf(anyOf(order, 'leverage', 'l')),
  value: numberOf(anyOf(order, 'value', 'v')),
  quantity: numberOf(anyOf(order, 'quantity', 'q')),
});

/** Unfilled orders carry a price of 0, which is no price. */
const readPrice = (value: unknown): number | null => numberOf(value) || null;

const readTrailingStop = (value: unknown): TrailingStop | null => {
  const stop = fieldsOf(value);
  const percent = stop && numberOf(anyOf(stop, 'trailing_percent', 'pct'));
  const distance = stop && numberOf(anyOf(stop, 'trailing_value', 'val'));
  if (percent) return { trailing_percent: percent };
  return distance ? { trailing_value: distance } : null;
};
