import {
  canonical,
  compare,
  decimalsOf,
  dividedBy,
  isPositive,
  isZero,
  magnitudeOf,
  minus,
  plus,
  roundedTo,
  times,
} from './decimals.ts';

/** The default slippage of market orders: the venue's own. */
export const DEFAULT_SLIPPAGE = '0.05';

/**
 * The precision of prices and sizes of one asset. A price has at most `significantFigures` and at most `priceDecimals`;
 * an integer is always a valid price. A size has at most `sizeDecimals`. `minimumValue`: the minimum of size × price of
 * an order.
 */
export type Grid = { significantFigures: number; priceDecimals: number; sizeDecimals: number; minimumValue: string };

/** The side of an order. */
export type Side = 'buy' | 'sell';

/** The ways in which the amounts of an order can be invalid. */
export type AmountFault = 'invalid_price' | 'tick_size' | 'invalid_size' | 'lot_size' | 'below_minimum';

/** Whether a price is positive and on the grid. */
export const isOnTick = (grid: Grid, price: string): boolean =>
  isPositive(price) && decimalsOf(price) <= decimalsAllowed(grid, price);

/** Whether a size is positive and on the grid. */
export const isOnLot = (grid: Grid, size: string): boolean => isPositive(size) && decimalsOf(size) <= grid.sizeDecimals;

/**
 * The nearest price on the grid that is not worse than the requested one: a buyer pays no more, a seller gets no less.
 * Null if that price is not above zero.
 */
export const limitPrice = (grid: Grid, side: Side, price: string): string | null =>
  onTick(grid, price, side === 'buy' ? 'down' : 'up');

/**
 * The limit price of a market order: mid × (1 ± slippage), rounded to the grid and never beyond it. It also gives the
 * worst price of a trigger order, with the trigger price as `mid`. Null if that price is not above zero.
 */
export const marketPrice = (grid: Grid, side: Side, mid: string, slippage: string): string | null => {
  const factor = side === 'buy' ? plus('1', slippage) : minus('1', slippage);
  return limitPrice(grid, side, times(mid, factor));
};

/**
 * The trigger price on the grid for an exit of a position: rounded up for a long position, down for a short one. So a
 * take-profit never yields less than requested, and a stop-loss never triggers later than requested. Null if it is
 * zero.
 */
export const exitPrice = (grid: Grid, position: 'long' | 'short', price: string): string | null =>
  onTick(grid, price, position === 'long' ? 'up' : 'down');

/** The largest size on the grid that does not exceed `size`. Null if that is zero. */
export const wholeLots = (grid: Grid, size: string): string | null =>
  aboveZero(roundedTo(size, grid.sizeDecimals, 'down'));

/** The largest size on the grid whose value at `price` does not exceed `value`. Null if that is zero. */
export const lotsWorth = (grid: Grid, value: string, price: string): string | null =>
  aboveZero(dividedBy(value, price, grid.sizeDecimals, 'down'));

/** Whether the value of an order reaches the minimum. */
export const reachesMinimum = (grid: Grid, size: string, price: string): boolean =>
  compare(times(size, price), grid.minimumValue) >= 0;

/**
 * The first fault in the amounts of an order; null if there is none. An order that closes the whole position
 * (`closesPosition`) has no minimum value.
 */
export const faultOf = (
  grid: Grid,
  { price, size, closesPosition = false }: { price: string; size: string; closesPosition?: boolean },
): AmountFault | null => {
  if (!isPositive(price)) return 'invalid_price';
  if (!isPositive(size)) return 'invalid_size';
  if (!isOnTick(grid, price)) return 'tick_size';
  if (!isOnLot(grid, size)) return 'lot_size';
  return closesPosition || reachesMinimum(grid, size, price) ? null : 'below_minimum';
};

/** At least 0, because an integer is always a valid price, regardless of its number of digits. */
const decimalsAllowed = ({ significantFigures, priceDecimals }: Grid, price: string): number =>
  Math.max(0, Math.min(priceDecimals, significantFigures - 1 - magnitudeOf(price)));

const onTick = (grid: Grid, price: string, rounding: 'down' | 'up'): string | null =>
  isPositive(price) ? aboveZero(roundedTo(price, decimalsAllowed(grid, price), rounding)) : null;

const aboveZero = (value: string): string | null => (isZero(value) ? null : canonical(value));
