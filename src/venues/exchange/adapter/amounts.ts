import type { Grid } from '../../../kernel/grid.ts';

/**
 * Venue facts: tick and lot size. 5 significant figures; 6 (perpetual) or 8 (spot) decimals minus the decimals of the
 * size.
 */
const SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS = { perp: 6, spot: 8 } as const;
/** Venue facts: an order has a value of at least 10 USD at its limit price (spot: 10 units of its quote). */
const MINIMUM_VALUE = '10';

/** The price and size grid of an asset. */
export const gridOf = (kind: 'perp' | 'spot', sizeDecimals: number): Grid => ({
  significantFigures: SIGNIFICANT_FIGURES,
  priceDecimals: Math.max(0, PRICE_DECIMALS[kind] - sizeDecimals),
  sizeDecimals,
  minimumValue: MINIMUM_VALUE,
});
