import type { Grid } from '../../../kernel/grid.ts';

/**
 * See venues/exchange.md#precision. 5 significant figures; 6 (perpetual) or 8 (spot) decimals minus the decimals of the
 * size.
 */
const SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS = { perp: 6, spot: 8 } as const;
/** In USD, of spot in the quote: venues/exchange.md#minimum-order. */
const MINIMUM_VALUE = '10';

/** The price and size grid of an asset. */
export const gridOf = (kind: 'perp' | 'spot', sizeDecimals: number): Grid => ({
  significantFigures: SIGNIFICANT_FIGURES,
  priceDecimals: Math.max(0, PRICE_DECIMALS[kind] - sizeDecimals),
  sizeDecimals,
  minimumValue: MINIMUM_VALUE,
});
