import { absolute, compare, isPositive, isZero } from '../../kernel/decimals.ts';
import { execute } from './positions.ts';
import { heldOf, type Order, record, type World } from './world.ts';

/** Puts an order among those that watch the price of its coin. */
export const enliven = (world: World, order: Order): void => {
  const { name } = order.coin;
  const live = world.live.get(name) ?? new Map<number, Order>();
  world.live.set(name, live.set(order.oid, order));
  order.live = true;
};

/** Ends an order under a word of the venue's, and with it the children that never came to life. */
export const end = (world: World, order: Order, status: string): void => {
  world.live.get(order.coin.name)?.delete(order.oid);
  order.live = false;
  order.status = status;
  order.statusMs = Date.now();
  if (status === 'filled') return;
  record(world, 'cancelled', order, { status });
  for (const child of order.children.filter((other) => other.status === 'open' && !other.live)) end(world, child, status);
};

/**
 * Lets an order take from the book what it may at the mid price, and keeps what follows from it: the end of a filled order,
 * its children brought to life, reduce-only orders made smaller. Returns the size taken.
 */
export const take = (world: World, order: Order, crossed: boolean): string => {
  const size = available(order, crossed);
  if (size === '0') return '0';
  execute(world, order, size, order.coin.mid, crossed);
  const filled = isZero(order.size);
  record(world, filled ? 'filled' : 'part_filled', order, { taken: size, at: order.coin.mid });
  if (filled) finish(world, order);
  shrinkReduceOnly(world, order);
  return size;
};

/** Ends an order that took all it will ever take. */
export const finish = (world: World, order: Order): void => {
  if (order.status !== 'filled') end(world, order, 'filled');
  for (const child of order.children.filter(({ status }) => status === 'open')) enliven(world, child);
  for (const sibling of order.parent?.children ?? []) {
    if (sibling !== order && sibling.status === 'open') end(world, sibling, 'siblingFilledCanceled');
  }
};

/** Whether the mid price is as good as an order's limit or better. */
export const isMarketable = ({ isBuy, price, coin }: Order): boolean =>
  isBuy ? compare(price, coin.mid) >= 0 : compare(price, coin.mid) <= 0;

/** What a reduce-only order of this side may still take away from the position. */
export const reducible = ({ owner, coin, isBuy }: Pick<Order, 'owner' | 'coin' | 'isBuy'>): string => {
  const held = heldOf(owner, coin);
  return isZero(held) || isPositive(held) === isBuy ? '0' : absolute(held);
};

const available = (order: Order, crossed: boolean): string => {
  const { liquidity } = order.coin;
  const wanted = order.reduceOnly ? lesser(order.size, reducible(order)) : order.size;
  return crossed && liquidity !== null ? lesser(wanted, liquidity) : wanted;
};

export const lesser = (a: string, b: string): string => (compare(a, b) < 0 ? a : b);

/** Resting reduce-only orders shrink with the position and end with it. */
const shrinkReduceOnly = (world: World, { owner, coin }: Order): void => {
  for (const order of [...(world.live.get(coin.name)?.values() ?? [])]) {
    if (order.owner !== owner || !order.reduceOnly) continue;
    const most = reducible(order);
    if (most === '0') end(world, order, 'reduceOnlyCanceled');
    else if (!order.followsPosition) order.size = lesser(order.size, most);
  }
};
