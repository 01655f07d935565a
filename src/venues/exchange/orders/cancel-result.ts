import type { components } from '../../../contract/types.ts';
import { displayPair } from '../../../kernel/exchange-names.ts';
import type { OrderUuid } from '../../../kernel/ids.ts';
import { rejected } from '../../../kernel/upstream-result.ts';
import type { ItemResult } from '../adapter/action-types.ts';

/** The result of a cancellation, in the shape of the contract. */
export type CancelResult = components['schemas']['CancelResult'];
type Line = CancelResult['results'][number];

/**
 * An order to cancel, by its number or else by its client order id. `isListed`: the venue has shown that it rests; others may
 * rest, and the result names them only if they did. `exits`: the numbers of its exits, which wait for its fill and end with it.
 * `isPartlyFilled`: a part of it was filled. `isOurs`: it is an order or exit of this service, cancelled by its client order id: its number is another
 * one once its trader has changed it, and reads may not show that yet.
 */
export type CancelTarget = {
  oid: number | null;
  cloid: string | null;
  coin: string;
  isListed: boolean;
  exits?: number[] | undefined;
  isPartlyFilled?: boolean | undefined;
  isOurs?: boolean | undefined;
};

/** An order that is no longer open. `coin` is null if neither the exchange nor this service knows the order. */
export type ClosedOrder = { oid: number | null; orderId: OrderUuid | null; coin: string | null };

/** The owner's names of orders, by the exchange's numbers. */
export type OrderIds = ReadonlyMap<number, OrderUuid>;

/** The result for an order whose cancellation never took effect. */
export const STILL_OPEN = rejected('still_open', 'The exchange did not process the cancellation in time.');

/** Whether a result is `STILL_OPEN`. */
export const isStillOpen = (item: ItemResult | undefined): boolean =>
  item?.kind === 'rejected' && item.slug === STILL_OPEN.slug;

const isGone = (item: ItemResult | undefined): boolean => item?.kind === 'rejected' && item.slug === 'order_gone';

/** What a cancellation omits: orders in markets that could not be read, and dexes whose orders could not be read. */
export type PassedOver = { skipped: CancelTarget[]; unreadDexes: string[] };

const NOTHING: PassedOver = { skipped: [], unreadDexes: [] };

/**
 * The result of a cancellation. `items[n]` is the result for `targets[n]`. Orders that were cancelled by their client order id
 * and whose numbers are not known yet are counted without a line.
 */
export function cancelResult(
  targets: CancelTarget[],
  items: ItemResult[],
  { skipped, unreadDexes }: PassedOver = NOTHING,
  ids: OrderIds = new Map(),
): CancelResult {
  const results = [
    ...targets.flatMap((target, n) => lineOf(target, items[n], ids) ?? []),
    ...skipped.flatMap(({ oid, coin }) =>
      oid === null ? [] : { ...namesOf(oid, ids), pair: displayPair(coin), ...NO_MARKET, exits_cancelled: [] },
    ),
  ];
  const unnumbered = targets.filter(({ oid }, n) => oid === null && items[n]?.kind === 'done').length;
  const cancelled = results.filter(({ status }) => status === 'cancelled').length + unnumbered;
  const failed = results.filter(({ status }) => status === 'error').length;
  const isUnsure = targets.some(({ oid }, n) => oid === null && items[n]?.kind !== 'done' && !isGone(items[n]));
  const isPartial = failed > 0 || unreadDexes.length > 0 || isUnsure;
  const unread = unreadDexes.length > 0 ? ` The orders on ${unreadDexes.join(', ')} could not be read.` : '';
  const unsure = isUnsure ? ' Orders that the exchange does not show yet may still be open.' : '';
  return {
    status: isPartial ? 'partial' : cancelled === 0 && areAllClosed(results) ? 'already_closed' : 'ok',
    message: `${cancelled} of ${results.length + unnumbered} open orders cancelled.${unread}${unsure}`,
    total_open_orders: results.length + unnumbered,
    cancelled_count: cancelled,
    failed_count: failed,
    results,
  };
}

const NO_MARKET = { status: 'error', message: 'The exchange does not describe the market of this order.' } as const;

/** The result of a cancellation in progress. */
export const cancelPending: CancelResult = {
  status: 'pending',
  message: 'Accepted; the orders are being cancelled.',
  total_open_orders: 0,
  cancelled_count: 0,
  failed_count: 0,
  results: [],
};

/** The result if none of the requested orders is open. */
export function closedResult(closed: ClosedOrder[]): CancelResult {
  const results = closed.map(closedLine);
  const unknown = results.every(({ status }) => status === 'not_found');
  return {
    status: unknown ? 'not_found' : 'already_closed',
    message: unknown ? 'Order not found.' : 'No order is open.',
    total_open_orders: 0,
    cancelled_count: 0,
    failed_count: 0,
    results,
  };
}

const areAllClosed = (results: Line[]) =>
  results.length > 0 && results.every(({ status }) => status === 'already_closed');

const namesOf = (oid: number, ids: OrderIds) => ({ order_id: ids.get(oid) ?? null, ex_order_id: String(oid) });

/** The result of one target. Null for one that did not rest, or that only its client order id names. */
function lineOf(target: CancelTarget, item: ItemResult | undefined, ids: OrderIds): Line | null {
  const { oid, isListed } = target;
  return oid === null || (isGone(item) && !isListed) ? null : line({ ...target, oid }, item, ids);
}

function line(
  { oid, coin, exits = [], isPartlyFilled }: CancelTarget & { oid: number },
  item: ItemResult | undefined,
  ids: OrderIds,
): Line {
  const order = { ...namesOf(oid, ids), pair: displayPair(coin), exits_cancelled: [] };
  if (item?.kind === 'done') {
    const message = exits.length === 0 ? 'Cancelled.' : isPartlyFilled ? UNPROTECTED : WITH_EXITS;
    return { ...order, status: 'cancelled', message, exits_cancelled: exits.map(String) };
  }
  if (isGone(item)) return { ...order, ...ALREADY_CLOSED };
  return { ...order, status: 'error', message: item?.kind === 'rejected' ? item.message : 'Not cancelled.' };
}

const WITH_EXITS = 'Cancelled, and its exits with it. If a part of it was filled, they do not protect that.';
const UNPROTECTED = 'Cancelled, and its exits with it: they do not protect the part that was filled.';
const ALREADY_CLOSED = { status: 'already_closed', message: 'Already filled or cancelled.' } as const;
const NOT_FOUND = { status: 'not_found', message: 'The exchange has no such order of this wallet.' } as const;

const closedLine = ({ oid, orderId, coin }: ClosedOrder): Line => ({
  order_id: orderId,
  ex_order_id: oid === null ? null : String(oid),
  pair: coin === null ? null : displayPair(coin),
  exits_cancelled: [],
  ...(coin === null ? NOT_FOUND : ALREADY_CLOSED),
});
