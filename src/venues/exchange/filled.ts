import { dividedBy, isPositive, isZero, minus, nearest, plus, times } from '../../kernel/decimals.ts';
import type { Fill, OrderRecord, OrderView } from './adapter/types.ts';

type Sizes = Pick<OrderView, 'size' | 'originalSize' | 'reduceOnly'>;

/**
 * The filled size of an order, by its own record. Null for a reduce-only order that has become smaller: the exchange shrinks it with its position and
 * its record keeps the requested size, so only executions show what was filled. See venues/exchange.md#reduce-only.
 */
export function filledSizeOf({ size, originalSize, reduceOnly }: Sizes, state: OrderRecord['state']): string | null {
  const open = state === 'filled' ? '0' : size;
  const filled = minus(originalSize, open);
  return reduceOnly && !isZero(filled) ? null : filled;
}

/**
 * Whether the exchange shows an order under another number than the recorded one, because its trader changed it there. Its record then lacks the
 * executions under earlier numbers and the whole size.
 */
export const isChanged = (oid: number, recorded: { ex_order_id: string | null } | null): boolean =>
  recorded?.ex_order_id != null && recorded.ex_order_id !== String(oid);

/** The size that executions add up to. */
export const sizeOf = (fills: readonly Pick<Fill, 'size'>[]): string =>
  fills.reduce((sum, { size }) => plus(sum, size), '0');

const PRICE_PLACES = 10;

/**
 * The average price of executions, rounded to the nearest as in the database (average_price), so that it is the same wherever it is
 * shown. Null without a size.
 */
export function averagePriceOf(fills: readonly Pick<Fill, 'price' | 'size'>[]): string | null {
  const size = sizeOf(fills);
  if (!isPositive(size)) return null;
  const value = fills.reduce((sum, fill) => plus(sum, times(fill.price, fill.size)), '0');
  return nearest(dividedBy(value, size, PRICE_PLACES + 1, 'down'), PRICE_PLACES);
}
