import { faultOf, limitPrice, lotsWorth, marketPrice, type Side, wholeLots } from '../../kernel/grid.ts';
import type { Asset } from './adapter/types.ts';

/** What an order asks for. `price` is null for a market order, which is sent at most `maxSlippage` beyond the mid price. */
export type Sizing = {
  side: 'long' | 'short';
  size: string;
  sizeInUsd: boolean;
  price: string | null;
  maxSlippage: string;
  reduceOnly: boolean;
};

/** An order on the asset's grid, at the price with which it is sent. The venue judges its minimum value by that price. */
export type Sized = { side: Side; price: string; size: string; isBelowMinimum: boolean };

/**
 * The price and size with which an order is sent, or why there are none. Placement and validation both use it, so that what
 * is valid for one is valid for the other. A purchase for an amount in USD never costs more, at the worst price it accepts;
 * a sale is worth the amount at the mid price.
 */
export function sizeOrder(
  { grid }: Pick<Asset, 'grid'>,
  mid: string,
  { size: asked, sizeInUsd, price: limit, maxSlippage, ...order }: Sizing,
): Sized | { fault: 'invalid_price' | 'lot_size' } {
  const side: Side = order.side === 'long' ? 'buy' : 'sell';
  const price = limit === null ? marketPrice(grid, side, mid, maxSlippage) : limitPrice(grid, side, limit);
  if (price === null) return { fault: 'invalid_price' };
  const worthAt = limit === null && side === 'sell' ? mid : price;
  const size = sizeInUsd ? lotsWorth(grid, asked, worthAt) : wholeLots(grid, asked);
  if (size === null) return { fault: 'lot_size' };
  const fault = faultOf(grid, { price, size, closesPosition: order.reduceOnly });
  return { side, price, size, isBelowMinimum: fault === 'below_minimum' };
}
