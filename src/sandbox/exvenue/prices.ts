import { canonical, compare, isDecimal, isPositive } from '../../kernel/decimals.ts';
import { end, isMarketable, reducible, take } from './book.ts';
import { type Coin, type Order, record, type World } from './world.ts';

/** Moves a coin's mid price and lets what it reaches happen. False for an unknown coin or no price. */
export const setMid = (world: World, name: string, price: string): boolean => {
  const coin = world.coins.get(name);
  if (!coin || !isDecimal(price) || !isPositive(price)) return false;
  coin.mid = canonical(price);
  settle(world, coin);
  return true;
};

/** Fills resting orders and fires triggers until the mid price reaches no more of them. */
export const settle = (world: World, coin: Coin): void => {
  for (let next = reached(world, coin); next; next = reached(world, coin)) {
    if (next.trigger) fire(world, next);
    else take(world, next, false);
  }
};

/** Whether the mid price has come to a trigger. Take-profits of a sale wait above, stop-losses below; of a purchase the reverse. */
export const isTriggered = (isBuy: boolean, { tpsl, triggerPx }: { tpsl: 'tp' | 'sl'; triggerPx: string }, mid: string): boolean => {
  const above = (tpsl === 'tp') !== isBuy;
  return above ? compare(mid, triggerPx) >= 0 : compare(mid, triggerPx) <= 0;
};

const reached = (world: World, coin: Coin): Order | undefined =>
  [...(world.live.get(coin.name)?.values() ?? [])].find((order) =>
    order.trigger ? isTriggered(order.isBuy, order.trigger, coin.mid) : isMarketable(order),
  );

/** What its trigger set off is an order like any other: at market for all there is, or one that rests at its limit. */
const fire = (world: World, order: Order): void => {
  const { trigger } = order;
  order.trigger = null;
  if (order.followsPosition) order.size = reducible(order);
  order.status = 'triggered';
  record(world, 'triggered', order, { at: order.coin.mid });
  const taken = isMarketable(order) ? take(world, order, true) : '0';
  if (order.status !== 'triggered') return;
  if (trigger?.isMarket) end(world, order, taken === '0' ? 'marketOrderNoLiquidityRejected' : 'canceled');
  else order.status = 'open';
};
