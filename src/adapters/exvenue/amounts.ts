import type { Grid } from '../../kernel/grid.ts';

/** Venue facts: tick and lot size; 5 significant figures, and 6 (perpetual) or 8 (spot) decimals less those of the size. */
const SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS = { perp: 6, spot: 8 } as const;
/** Venue facts: an order is worth at least 10 USD at its limit price (spot: 10 of its quote). */
const MINIMUM_VALUE = '10';

/** The grid of an asset of the venue. */
export const gridOf = (kind: 'perp' | 'spot', sizeDecimals: number): Grid => ({
  significantFigures: SIGNIFICANT_FIGURES,
  priceDecimals: Math.max(0, PRICE_DECIMALS[kind] - sizeDecimals),
  sizeDecimals,
  minimumValue: MINIMUM_VALUE,
});
