import { absolute, compare, isPositive, isZero } from '../../kernel/decimals.ts';
import { execute } from './positions.ts';
import { heldOf, keyOf, type Order, record, type World } from './world.ts';

/** Puts an order among those that watch the price of its coin. */
export const enliven = (world: World, order: Order): void => {
  const { name } = order.coin;
  const live = world.live.get(name) ?? new Map<number, Order>();
  world.live.set(name, live.set(order.oid, order));
  order.live = true;
};

/** Ends an order under a word of the venue's, and with it the children that never came to life. */
export const end = (world: World, order: Order, status: string): void => {
  close(world, order, status);
  record(world, 'cancelled', order, { status });
  for (const child of order.children) if (isOpen(child) && !child.live) end(world, child, 'canceled');
};

/** Whether an order may still do something. */
export const isOpen = ({ status }: Order): boolean => status === 'open';

/**
 * Lets an order take from the book at the mid price, a taker no more than there is and no more than `most`, and sees to
 * what follows from it. Returns the size taken.
 */
export const take = (world: World, order: Order, crossed: boolean, most: string | null = null): string => {
  const size = available(order, crossed, most);
  if (isZero(size)) return '0';
  const { tid } = execute(world, order, size, order.coin.mid, crossed);
  const effect = { taken: size, at: order.coin.mid };
  if (isZero(order.size)) record(world, 'filled', order, effect);
  else record(world, 'part_filled', order, effect, `${keyOf(order)}/${tid}`);
  if (isZero(order.size)) finish(world, order);
  shrinkReduceOnly(world, order);
  return size;
};

/** Brings the exits of an order to life. */
export const awaken = (world: World, { children }: Order): void => {
  for (const child of children) if (isOpen(child) && !child.live) enliven(world, child);
};

/** Whether the mid price is as good as an order's limit or better. */
export const isMarketable = ({ isBuy, price, coin }: Order): boolean =>
  isBuy ? compare(price, coin.mid) >= 0 : compare(price, coin.mid) <= 0;

/** What a reduce-only order of this side may take away from the position. */
export const reducible = ({ owner, coin, isBuy }: Pick<Order, 'owner' | 'coin' | 'isBuy'>): string => {
  const held = heldOf(owner, coin);
  return isZero(held) || isPositive(held) === isBuy ? '0' : absolute(held);
};

export const lesser = (a: string, b: string): string => (compare(a, b) < 0 ? a : b);

const close = (world: World, order: Order, status: string) => {
  world.live.get(order.coin.name)?.delete(order.oid);
  order.live = false;
  order.status = status;
  order.statusMs = Date.now();
};

const available = (order: Order, crossed: boolean, most: string | null): string => {
  const bounds = [order.reduceOnly ? reducible(order) : null, most, crossed ? order.coin.liquidity : null];
  return bounds.reduce<string>((size, bound) => (bound === null ? size : lesser(size, bound)), order.size);
};

/** A filled order wakes its exits; a filled exit ends its sibling. */
const finish = (world: World, order: Order) => {
  close(world, order, 'filled');
  awaken(world, order);
  for (const sibling of order.parent?.children ?? []) {
    if (sibling !== order && isOpen(sibling)) end(world, sibling, 'siblingFilledCanceled');
  }
};

/** Resting reduce-only orders shrink with the position and end with it. */
const shrinkReduceOnly = (world: World, { owner, coin }: Order) => {
  for (const order of [...(world.live.get(coin.name)?.values() ?? [])]) {
    if (order.owner !== owner || !order.reduceOnly) continue;
    const most = reducible(order);
    if (isZero(most)) end(world, order, 'reduceOnlyCanceled');
    else if (!order.followsPosition) order.size = lesser(order.size, most);
  }
};
