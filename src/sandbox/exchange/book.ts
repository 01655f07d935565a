import { absolute, compare, isPositive, isZero } from '../../kernel/decimals.ts';
import { execute } from './positions.ts';
import { heldOf, keyOf, type Order, record, type World } from './world.ts';

/** Adds an order to those that react to the price of its coin. */
export const enliven = (world: World, order: Order): void => {
  const { name } = order.coin;
  const live = world.live.get(name) ?? new Map<number, Order>();
  world.live.set(name, live.set(order.oid, order));
  order.live = true;
  order.statusSize = order.size;
};

/** Ends an order with a status of the venue. Also ends its children that were never activated. */
export const end = (world: World, order: Order, status: string): void => {
  close(world, order, status);
  record(world, 'cancelled', order, { status });
  for (const child of order.children) if (isOpen(child) && !child.live) end(world, child, 'canceled');
};

/** Whether an order is still open. */
export const isOpen = ({ status }: Order): boolean => status === 'open';

/**
 * Fills an order at the mid price, a taker by at most the book's liquidity and `most`, and applies the consequences.
 * Returns the filled size.
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

/** Activates the exits of an order. */
export const awaken = (world: World, { children }: Order): void => {
  for (const child of children) if (isOpen(child) && !child.live) enliven(world, child);
};

/** Whether the mid price is at an order's limit or better. */
export const isMarketable = ({ isBuy, price, coin }: Order): boolean =>
  isBuy ? compare(price, coin.mid) >= 0 : compare(price, coin.mid) <= 0;

/** The size by which a reduce-only order of this side may reduce the position. */
export const reducible = ({ owner, coin, isBuy }: Pick<Order, 'owner' | 'coin' | 'isBuy'>): string => {
  const held = heldOf(owner, coin);
  return isZero(held) || isPositive(held) === isBuy ? '0' : absolute(held);
};

export const lesser = (a: string, b: string): string => (compare(a, b) < 0 ? a : b);

const close = (world: World, order: Order, status: string) => {
  world.live.get(order.coin.name)?.delete(order.oid);
  order.live = false;
  order.status = status;
  order.statusSize = order.size;
  order.statusMs = Date.now();
};

const available = (order: Order, crossed: boolean, most: string | null): string => {
  const bounds = [order.reduceOnly ? reducible(order) : null, most, crossed ? order.coin.liquidity : null];
  return bounds.reduce<string>((size, bound) => (bound === null ? size : lesser(size, bound)), order.size);
};

/** A filled order activates its exits. A filled exit ends its sibling. */
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
