import { compare, isPositive } from '../../../kernel/decimals.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import type { Side } from '../../../kernel/grid.ts';
import { absent, found, type ReadResult } from '../../../kernel/upstream-result.ts';
import type { ExitKind, TimeInForce } from './action-types.ts';
import { complete, decimalOf, everyOf, type Fields, fieldsOf, hexOf, integerOf, textOf, timeMsOf } from './fields.ts';
import { classifyStatus } from './rejections.ts';
import type { OpenOrder, OrderNames, OrderRecord, OrderState, OrderView } from './types.ts';

/**
 * Reads open orders with their triggers and children. An order of an unknown form does not hide the others. See venues/exchange.md#reads.
 */
export const readOpenOrders =
  (dex: string) =>
  (json: unknown): OpenOrder[] | null => {
    const names = readOrderNames(dex)(json);
    const orders = names && readable(json, readOrder);
    if (!orders) return null;
    const parents = new Map(names.flatMap(({ oid, children }) => children.map((child) => [child, oid] as const)));
    return orders.map((order) => ({ ...order, parentOid: parents.get(order.oid) ?? null }));
  };

/** Reads the names of all open orders on a dex. An order without a number could be any: then none is known. Nor is one among those of another dex. */
export const readOrderNames =
  (dex: string) =>
  (json: unknown): OrderNames[] | null => {
    const names = everyOf(json, readNames);
    return names?.every(({ coin }) => dexOf(coin) === dex) ? names : null;
  };

const readNames = (value: unknown): OrderNames | null => {
  const order = fieldsOf(value);
  const named = complete({ oid: integerOf(order?.oid), coin: textOf(order?.coin) });
  const children = everyOf(order?.children ?? [], (child) => integerOf(fieldsOf(child)?.oid));
  const cloid = hexOf(order?.cloid);
  const isNamed = cloid !== null || (order?.cloid ?? null) === null;
  return named && children && isNamed ? { ...named, cloid, children, isPartlyFilled: isPartlyFilled(order) } : null;
};

const isPartlyFilled = (order: Fields | null): boolean => {
  const [left, original] = [decimalOf(order?.sz), decimalOf(order?.origSz)];
  return left !== null && original !== null && compare(left, original) < 0;
};

/** Reads orders with their states. Orders of an unknown form are left out. See venues/exchange.md#reads. */
export const readHistory = (json: unknown): OrderRecord[] | null => readable(json, readRecord);

/** See venues/exchange.md#rows. */
const MOST_ROWS = 2_000;

/**
 * Reads the coins of an account's open orders from its history. `unknown`: the history does not list or describe all orders
 * that the account has ever placed.
 */
export const readOpenCoins = (json: unknown): string[] | 'unknown' | null => {
  const records = readHistory(json);
  if (!records) return null;
  const isWhole = records.length === Object(json).length && records.length < MOST_ROWS;
  return isWhole ? records.filter(mayBeOpen).map(({ order }) => order.coin) : 'unknown';
};

const mayBeOpen = ({ state }: OrderRecord) => state === 'open' || state === 'triggered' || state === 'unknown';

const readable = <T>(json: unknown, read: (value: unknown) => T | null): T[] | null =>
  Array.isArray(json) ? json.map(read).filter((member) => member !== null) : null;

/**
 * Reads the order of one oid or cloid. `unknownOid` means that the venue has none. The record of another order is unreadable. See
 * venues/exchange.md#reads.
 */
export const readStatus =
  (name: number | string) =>
  (json: unknown): ReadResult<OrderRecord> | null => {
    const response = fieldsOf(json);
    if (response?.status === 'unknownOid') return absent;
    const record = response?.status === 'order' ? readRecord(response.order) : null;
    return record && isNamed(record.order, name) ? found(record) : null;
  };

const isNamed = ({ oid, cloid }: OrderView, name: number | string): boolean =>
  typeof name === 'number' ? oid === name : (cloid ?? name) === name;

/** Reads the side of an order or fill: `B` (bid) or `A` (ask). */
export const readSide = (value: unknown): Side | null => (value === 'B' ? 'buy' : value === 'A' ? 'sell' : null);

/**
 * The state for a status of the venue. Unlisted statuses are classified by their suffix. See venues/exchange.md#order-statuses.
 */
const stateOf = (status: string): OrderState => {
  if (status === 'open' || status === 'filled' || status === 'triggered') return status;
  if (/cancel(l?ed)?$/i.test(status)) return 'cancelled';
  return /rejected$/i.test(status) ? 'rejected' : 'unknown';
};

const isFilledInPart = ({ size, originalSize }: OrderView): boolean =>
  isPositive(size) && compare(size, originalSize) < 0;

/**
 * The state of an order with status `filled` of which a part is left: one that may not rest has ended, one that may rest is open. If its time in
 * force is not known, the state is unknown. See venues/exchange.md#order-statuses.
 */
const stateOfPart = ({ timeInForce }: OrderView): OrderState => {
  if (timeInForce === null) return 'unknown';
  return timeInForce === 'gtc' || timeInForce === 'alo' ? 'open' : 'cancelled';
};

/** Reads an order with its state. See venues/exchange.md#reads. */
export const readRecord = (value: unknown): OrderRecord | null => {
  const record = fieldsOf(value);
  const order = readOrder(record?.order);
  const word = textOf(record?.status);
  const statusMs = timeMsOf(record?.statusTimestamp);
  if (!order || !word || statusMs === null) return null;
  const state = word === 'filled' && isFilledInPart(order) ? stateOfPart(order) : stateOf(word);
  return { order, state, word, rejected: state === 'rejected' ? classifyStatus(word) : null, statusMs };
};

const readOrder = (value: unknown): OrderView | null => {
  const order = fieldsOf(value);
  const required = complete({
    oid: integerOf(order?.oid),
    coin: textOf(order?.coin),
    side: readSide(order?.side),
    limitPrice: decimalOf(order?.limitPx),
    size: decimalOf(order?.sz),
    placedMs: timeMsOf(order?.timestamp),
    children: everyOf(order?.children ?? [], readOrder),
  });
  if (!order || !required) return null;
  return { ...required, ...readTerms(order), originalSize: originalOf(order, required.size) };
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
  const name = textOf(value)?.toLowerCase();
  if (name === 'gtc' || name === 'ioc' || name === 'alo') return name;
  return name ? 'other' : null;
};

const readExit = (orderType: string | null): ExitKind | null => {
  if (orderType?.startsWith('Take Profit')) return 'tp';
  return orderType?.startsWith('Stop') ? 'sl' : null;
};
