import { parseJson } from '../../../adapters/http.ts';
import { anyOf, type Fields, fieldsOf, numberIn, numberOf, textOf } from './fields.ts';
import { parsePythonLiteral } from './python-literal.ts';
import type { DashboardOrder, Executed, OrderType, TrailingStop } from './types.ts';

/**
 * Reads one order, compact (`t l q pr v e p lp sl tk tsl sp cond`) or verbose. `key` is its uuid if the order contains
 * none. Null without a uuid. See venues/network-validator.md#dashboard.
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
    ...readExits(order),
    processedMs: numberIn(order, 'processed_ms', 'p'),
    source: numberOf(order.src),
  };
};

/**
 * Reads the execution from an `order_json`: JSON, a Python dictionary as text, or an object; older builds list it by
 * validator. Null if no member of an order is known.
 */
export const readExecuted = (orderJson: unknown): { executed: Executed; capped: boolean } | null => {
  const order = orderIn(typeof orderJson === 'string' ? parseOrder(orderJson) : orderJson);
  if (!order) return null;
  return {
    executed: { order_type: readSide(order.order_type), ...readSizes(order), price: readPrice(order.price) },
    capped: textOf(order.binding_cap) !== null,
  };
};

const parseOrder = (text: string): unknown => parseJson(text) ?? parsePythonLiteral(text);

const ORDER_MEMBERS = ['order_type', 'leverage', 'value', 'quantity', 'price'] as const;

/** The value itself if it is an order, else its first member that is one. */
const orderIn = (value: unknown): Fields | null => {
  const fields = fieldsOf(value);
  if (!fields) return null;
  const isOrder = (candidate: Fields) => ORDER_MEMBERS.some((name) => candidate[name] != null);
  if (isOrder(fields)) return fields;
  const members = Object.values(fields).map((member) =>
    fieldsOf(typeof member === 'string' ? parseOrder(member) : member),
  );
  return members.find((member) => member !== null && isOrder(member)) ?? null;
};

/** The wire id of a pair given as an id, a display form (`BTC/USDC`), an object, or the array of verbose payloads. */
export const readPair = (value: unknown): string | null => {
  const first = Array.isArray(value) ? value[0] : (fieldsOf(value)?.trade_pair_id ?? value);
  return textOf(first)?.replaceAll('/', '') ?? null;
};

/** Reads a side, such as `LONG`; some builds print `OrderType.LONG`. Null for any other value. */
export const readSide = (value: unknown): OrderType | null => {
  const side = textOf(value)?.split('.').pop()?.toUpperCase();
  return side === 'LONG' || side === 'SHORT' || side === 'FLAT' ? side : null;
};

/** The exits of an order. Newer builds store those of a limit order as its only entry of `bracket_orders`. */
const readExits = (order: Fields): Pick<DashboardOrder, 'stopLoss' | 'takeProfit' | 'trailingStop'> => {
  const [entry, ...others] = Array.isArray(order.bracket_orders) ? order.bracket_orders : [];
  const only = others.length === 0 ? fieldsOf(entry) : null;
  const from = { ...only, ...withoutNulls(order) };
  return {
    stopLoss: readPrice(anyOf(from, 'stop_loss', 'sl')),
    takeProfit: readPrice(anyOf(from, 'take_profit', 'tk')),
    trailingStop: readTrailingStop(anyOf(from, 'trailing_stop', 'tsl')) ?? readTrailingStop(only),
  };
};

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** Sizes keep the venue's sign: negative for SHORT. */
const readSizes = (order: Fields) => ({
  leverage: numberIn(order, 'leverage', 'l'),
  value: numberIn(order, 'value', 'v'),
  quantity: numberIn(order, 'quantity', 'q'),
});

/** Unfilled orders have a price of 0, which means no price. */
const readPrice = (value: unknown): number | null => numberOf(value) || null;

const readTrailingStop = (value: unknown): TrailingStop | null => {
  const stop = fieldsOf(value);
  const percent = stop && numberIn(stop, 'trailing_percent', 'pct');
  const distance = stop && numberIn(stop, 'trailing_value', 'val');
  if (percent) return { trailing_percent: percent };
  return distance ? { trailing_value: distance } : null;
};
