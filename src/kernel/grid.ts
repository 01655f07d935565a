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

/**
 * The steps prices and sizes of one asset come in. A price has at most so many significant figures and at most so many
 * decimals; a whole number is always a price. `minimumValue`: what an order must be worth at its price.
 */
export type Grid = { significantFigures: number; priceDecimals: number; sizeDecimals: number; minimumValue: string };

export type Side = 'buy' | 'sell';

/** What is wrong with the amounts of an order. */
export type AmountFault = 'invalid_price' | 'tick_size' | 'invalid_size' | 'lot_size' | 'below_minimum';

/** Whether a price lies on the grid. */
export const isOnTick = (grid: Grid, price: string): boolean =>
  isPositive(price) && decimalsOf(price) <= decimalsAllowed(grid, price);

/** Whether a size lies on the grid. */
export const isOnLot = (grid: Grid, size: string): boolean => isPositive(size) && decimalsOf(size) <= grid.sizeDecimals;

/**
 * The price on the grid that is never worse for who asks than the price asked: a buyer pays no more, a seller gets no
 * less. Null where no such price is above zero.
 */
export const limitPrice = (grid: Grid, side: Side, price: string): string | null =>
  onTick(grid, price, side === 'buy' ? 'down' : 'up');

/**
 * The furthest price on the grid a market order may take: mid × (1 ± slippage), never beyond it. The same function gives
 * the worst price of a trigger, with its trigger price as the mid. Null where none is above zero.
 */
export const marketPrice = (grid: Grid, side: Side, mid: string, slippage: string): string | null => {
  const factor = side === 'buy' ? plus('1', slippage) : minus('1', slippage);
  return limitPrice(grid, side, times(mid, factor));
};

/**
 * The trigger price on the grid for an exit of a position: rounded up for a long one, down for a short one. So a
 * take-profit never gives less than asked and a stop-loss never triggers later than asked.
 */
export const exitPrice = (grid: Grid, position: 'long' | 'short', price: string): string | null =>
  onTick(grid, price, position === 'long' ? 'up' : 'down');

/** The largest size on the grid that is not above the one asked. Null where that is zero. */
export const wholeLots = (grid: Grid, size: string): string | null =>
  aboveZero(roundedTo(size, grid.sizeDecimals, 'down'));

/** The largest size on the grid that is worth no more than `value` at a price. Null where that is zero. */
export const lotsWorth = (grid: Grid, value: string, price: string): string | null =>
  aboveZero(dividedBy(value, price, grid.sizeDecimals, 'down'));

/** Whether an order is worth enough to be placed. */
export const isWorthPlacing = (grid: Grid, size: string, price: string): boolean =>
  compare(times(size, price), grid.minimumValue) >= 0;

/**
 * The first fault in the amounts of an order, null where there is none. `closesPosition`: it closes the whole position,
 * and no minimum holds for it.
 */
export const faultOf = (
  grid: Grid,
  { price, size, closesPosition = false }: { price: string; size: string; closesPosition?: boolean },
): AmountFault | null => {
  if (!isPositive(price)) return 'invalid_price';
  if (!isPositive(size)) return 'invalid_size';
  if (!isOnTick(grid, price)) return 'tick_size';
  if (!isOnLot(grid, size)) return 'lot_size';
  return closesPosition || isWorthPlacing(grid, size, price) ? null : 'below_minimum';
};

/** Whole numbers have no decimals, so the least allowed is none, however many figures stand before the point. */
const decimalsAllowed = ({ significantFigures, priceDecimals }: Grid, price: string): number =>
  Math.max(0, Math.min(priceDecimals, significantFigures - 1 - magnitudeOf(price)));

const onTick = (grid: Grid, price: string, rounding: 'down' | 'up'): string | null =>
  isPositive(price) ? aboveZero(roundedTo(price, decimalsAllowed(grid, price), rounding)) : null;

const aboveZero = (value: string): string | null => (isZero(value) ? null : canonical(value));
