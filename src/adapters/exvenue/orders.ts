import { absent, found, type Lookup } from '../../kernel/answer.ts';
import { isPositive } from '../../kernel/decimals.ts';
import type { Side } from '../../kernel/grid.ts';
import { decimalOf, everyOf, type Fields, fieldsOf, hexOf, integerOf, textOf } from './fields.ts';
import { judgeWord } from './refusals.ts';
import type { ExitKind, OrderRecord, OrderState, OrderView, TimeInForce } from './types.ts';

/** Open orders with their triggers and children. Venue facts: frontendOpenOrders. */
export const readOpenOrders = (json: unknown): OrderView[] | null => everyOf(json, readOrder);

/** Orders with what became of them. Venue facts: historicalOrders. */
export const readHistory = (json: unknown): OrderRecord[] | null => everyOf(json, readRecord);

/** The order of one name; `unknownOid` is the venue's word that it has none. Venue facts: orderStatus. */
export const readStatus = (json: unknown): Lookup<OrderRecord> | null => {
  const answer = fieldsOf(json);
  if (answer?.status === 'unknownOid') return absent;
  const record = answer?.status === 'order' ? readRecord(answer.order) : null;
  return record && found(record);
};

/** The side of an order or fill: the venue calls them bid and ask. */
export const readSide = (value: unknown): Side | null => (value === 'B' ? 'buy' : value === 'A' ? 'sell' : null);

/** What a word of the venue means. Words nobody knows are told by their endings. Venue facts: order statuses. */
const stateOf = (word: string): OrderState => {
  if (word === 'open' || word === 'filled' || word === 'triggered') return word;
  if (/cancel(l?ed)?$/i.test(word)) return 'cancelled';
  return /rejected$/i.test(word) ? 'rejected' : 'unknown';
};

const readRecord = (value: unknown): OrderRecord | null => {
  const record = fieldsOf(value);
  const order = readOrder(record?.order);
  const word = textOf(record?.status);
  const statusMs = integerOf(record?.statusTimestamp);
  if (!order || !word || statusMs === null) return null;
  const state = stateOf(word);
  return { order, state, word, refused: state === 'rejected' ? judgeWord(word) : null, statusMs };
};

const readOrder = (value: unknown): OrderView | null => {
  const order = fieldsOf(value);
  const oid = integerOf(order?.oid);
  const coin = textOf(order?.coin);
  const side = readSide(order?.side);
  const limitPrice = decimalOf(order?.limitPx);
  const size = decimalOf(order?.sz);
  const placedMs = integerOf(order?.timestamp);
  const children = everyOf(order?.children ?? [], readOrder);
  if (!order || oid === null || !coin || !side || limitPrice === null) return null;
  if (size === null || placedMs === null || children === null) return null;
  return {
    oid,
    coin,
    side,
    limitPrice,
    size,
    ...readTerms(order),
    originalSize: originalOf(order, size),
    children,
    placedMs,
  };
};

const originalOf = (order: Fields, size: string) => decimalOf(order.origSz) ?? size;

const readTerms = (order: Fields) => {
  const orderType = textOf(order.orderType);
  const triggerPrice = decimalOf(order.triggerPx);
  return {
    cloid: hexOf(order.cloid),
    orderType,
    timeInForce: readTimeInForce(order.tif),
    reduceOnly: order.reduceOnly === true,
    exit: order.isTrigger === true || orderType !== 'Limit' ? readExit(orderType) : null,
    triggerPrice: triggerPrice !== null && isPositive(triggerPrice) ? triggerPrice : null,
    followsPosition: order.isPositionTpsl === true,
  };
};

const readTimeInForce = (value: unknown): TimeInForce | 'other' | null => {
  const word = textOf(value)?.toLowerCase();
  if (word === 'gtc' || word === 'ioc' || word === 'alo') return word;
  return word ? 'other' : null;
};

const readExit = (orderType: string | null): ExitKind | null => {
  if (orderType?.startsWith('Take Profit')) return 'tp';
  return orderType?.startsWith('Stop') ? 'sl' : null;
};
