import type { Action, Asset, OrderAsked } from '../../adapters/exvenue/types.ts';
import type { Problem } from '../../intents/intent.ts';
import { absolute, isPositive } from '../../kernel/decimals.ts';
import { exitPrice, faultOf, limitPrice, lotsWorth, marketPrice, type Side, wholeLots } from '../../kernel/grid.ts';
import { cloidOf, type ExchangeTerms, legCloid } from './rules.ts';

/** Triggered exits may fall this far behind their trigger price before they stop filling; the venue's own choice for its users. */
const EXIT_SLIPPAGE = '0.1';

export type Exits = { take_profit: string | null; stop_loss: string | null };

/** The action that places an order with its exits, all amounts on the asset's grid; or why it cannot be placed. */
export function placing(
  intentId: string,
  terms: ExchangeTerms,
  asset: Asset,
  mid: string,
): { action: Action } | { problem: Problem } {
  const side: Side = terms.side === 'long' ? 'buy' : 'sell';
  const price =
    terms.order_type === 'market'
      ? marketPrice(asset.grid, side, mid, terms.max_slippage)
      : limitPrice(asset.grid, side, terms.price ?? '0');
  if (price === null) return unfit('invalid_price');
  const worthAt = terms.order_type === 'market' ? mid : price;
  const size = terms.size_in_usd ? lotsWorth(asset.grid, terms.size, worthAt) : wholeLots(asset.grid, terms.size);
  if (size === null) return unfit('lot_size');
  const fault = faultOf(asset.grid, { price, size, closesPosition: terms.reduce_only });
  if (fault) return unfit(fault);
  const timeInForce = terms.order_type === 'market' ? 'ioc' : terms.time_in_force;
  const parent = {
    asset: asset.id,
    side,
    price,
    size,
    reduceOnly: terms.reduce_only,
    cloid: cloidOf(intentId),
    timeInForce,
  };
  const exits = exiting(intentId, terms, asset, terms.side, size);
  if ('problem' in exits) return exits;
  return { action: { kind: 'place', orders: [parent, ...exits], grouping: exits.length > 0 ? 'with_exits' : 'none' } };
}

/** The reduce-only order that takes a whole position out of the market; `size` is signed as the venue shows it. */
export function closing(
  intentId: string,
  size: string,
  asset: Asset,
  { mid, slippage }: { mid: string; slippage: string },
): { action: Action } | { problem: Problem } {
  const side: Side = isPositive(size) ? 'sell' : 'buy';
  const price = marketPrice(asset.grid, side, mid, slippage);
  if (price === null) return unfit('invalid_price');
  const order: OrderAsked = {
    asset: asset.id,
    side,
    price,
    size: absolute(size),
    reduceOnly: true,
    cloid: cloidOf(intentId),
    timeInForce: 'ioc',
  };
  return { action: { kind: 'place', orders: [order], grouping: 'none' } };
}

/** The exits of a position as orders of their own, each under a cloid told from the intent. */
export function exiting(
  intentId: string,
  { take_profit, stop_loss }: Exits,
  asset: Asset,
  position: 'long' | 'short',
  size: string,
): OrderAsked[] | { problem: Problem } {
  const side: Side = position === 'long' ? 'sell' : 'buy';
  const orders: OrderAsked[] = [];
  for (const [kind, asked] of [
    ['tp', take_profit],
    ['sl', stop_loss],
  ] as const) {
    if (asked === null) continue;
    const trigger = exitPrice(asset.grid, position, asked);
    const price = trigger && marketPrice(asset.grid, side, trigger, EXIT_SLIPPAGE);
    if (!trigger || !price) return unfit('bad_trigger_price');
    orders.push({
      asset: asset.id,
      side,
      price,
      size,
      reduceOnly: true,
      cloid: legCloid(intentId, kind),
      trigger: { price: trigger, kind, isMarket: true },
    });
  }
  return orders;
}

/** Where in the venue's own words an order is refused before it is sent. */
const unfit = (slug: string): { problem: Problem } => ({
  problem: {
    code: 'V1_ORDER_UNFIT',
    reason: slug,
    message: MESSAGES[slug] ?? 'The amounts of this order do not fit its asset.',
  },
});

const MESSAGES: Record<string, string> = {
  invalid_price: 'The price does not fit the price steps of this asset.',
  tick_size: 'The price does not fit the price steps of this asset.',
  lot_size: 'The size is smaller than the smallest step of this asset.',
  invalid_size: 'The size is not above zero.',
  below_minimum: 'The order is worth less than 10 USD, the least the exchange accepts.',
  bad_trigger_price: 'A trigger price does not fit the price steps of this asset.',
};
