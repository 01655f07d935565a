import { canonical, compare, isDecimal, isPositive, isZero } from '../../kernel/decimals.ts';
import { end, isMarketable, reducible, take } from './book.ts';
import { type Coin, type Order, record, type Trigger, type World } from './world.ts';

/** Sets a coin's mid price and executes the orders it reaches. False for an unknown coin or an invalid price. */
export const setMid = (world: World, name: string, price: string): boolean => {
  const coin = world.coins.get(name);
  if (!coin || !isDecimal(price) || !isPositive(price)) return false;
  coin.mid = canonical(price);
  for (let next = reached(world, coin); next; next = reached(world, coin)) {
    if (watches(next)) fire(world, next);
    else if (isZero(take(world, next, false))) end(world, next, 'reduceOnlyCanceled');
  }
  return true;
};

/**
 * Whether a price has reached a trigger. For a sale the take-profit is above and the stop-loss below; for a purchase
 * reversed.
 */
export const isTriggered = (isBuy: boolean, { tpsl, triggerPx }: Trigger, price: string): boolean => {
  const above = (tpsl === 'tp') !== isBuy;
  return above ? compare(price, triggerPx) >= 0 : compare(price, triggerPx) <= 0;
};

const watches = ({ trigger, fired }: Order) => trigger !== null && !fired;

const reached = (world: World, coin: Coin): Order | undefined =>
  [...(world.live.get(coin.name)?.values() ?? [])].find((order) =>
    order.trigger && !order.fired ? isTriggered(order.isBuy, order.trigger, coin.mid) : isMarketable(order),
  );

/** A triggered order takes the available size. The rest is cancelled; with a limit trigger it stays open. */
const fire = (world: World, order: Order): void => {
  order.fired = true;
  if (order.followsPosition) order.size = reducible(order);
  record(world, 'triggered', order, { at: order.coin.mid });
  const taken = isMarketable(order) ? take(world, order, true) : '0';
  if (order.status !== 'open' || !order.trigger?.isMarket) return;
  end(world, order, isZero(taken) ? 'marketOrderNoLiquidityRejected' : 'canceled');
};
