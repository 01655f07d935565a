import { addBrackets, isHit } from './brackets.ts';
import { clamp, executed } from './positions.ts';
import { sourceOf, unrest, withdraw } from './resting.ts';
import { fill } from './trading.ts';
import { type Account, type Resting, type World, worthOf } from './world.ts';

/**
 * Sets a price for all entities. Fills limit orders it reaches, arms stop-limits, triggers brackets. False for invalid
 * input.
 */
export const setPrice = (worlds: readonly World[], pairId: string, price: number): boolean => {
  const pair = worlds[0]?.pairs.get(pairId);
  if (!pair || !(price > 0)) return false;
  pair.price = price;
  for (const world of worlds) settleResting(world, pairId);
  return true;
};

/** Fills the resting orders that the current price of a pair reaches. */
export const settleResting = (world: World, pairId: string): void => {
  for (const { account, order } of [...(world.resting.get(pairId)?.values() ?? [])]) {
    if (account.resting.has(order.uuid) && isReached(order)) execute(world, account, order);
  }
};

const isReached = (order: Resting): boolean => {
  const { price } = order.pair;
  if (order.execution === 'BRACKET') {
    const long = order.side === 'SHORT'; // the bracket of a long position sells
    order.best = long ? Math.max(order.best, price) : Math.min(order.best, price);
    return isHit(order, long, price);
  }
  if (order.execution === 'STOP_LIMIT' && !armed(order, price)) return false;
  const limit = order.limitPrice ?? price;
  return order.side === 'LONG' ? price <= limit : price >= limit;
};

const armed = (order: Resting, price: number): boolean => {
  const stop = order.stopPrice ?? price;
  order.armed ||= order.stopCondition === 'GTE' ? price >= stop : price <= stop;
  return order.armed;
};

const execute = (world: World, account: Account, order: Resting) => {
  const { uuid, pair, side, execution } = order;
  // A bracket closes at most the current position, which may be smaller than when the bracket was placed.
  const executable = clamp(account, pair, order.quantity, pair.price);
  if (typeof executable === 'string') return withdraw(world, account, order);
  unrest(world, account, order);
  const { quantity, cap } = executable;
  const part = { ...order, uuid, side, quantity, bindingCap: cap, execution, source: sourceOf(order, 'filled') };
  const filled = executed(account, pair, { ...part, price: pair.price, value: worthOf(pair, quantity) });
  fill(world, account, filled, 'fill');
  if (execution !== 'BRACKET') addBrackets(world, account, filled);
};
