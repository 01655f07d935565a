import { addBrackets, isHit } from './brackets.ts';
import { clamp, executed } from './positions.ts';
import { rest, sourceOf, unrest, withdraw } from './resting.ts';
import { textsOf } from './texts.ts';
import { cooldown, fill } from './trading.ts';
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

/**
 * Fills the resting orders that the current price of a pair reaches. Returns the venue's text for each order that failed
 * in it, by uuid. `submitted`: the order of this signal. The newest builds execute it like a market order.
 */
export const settleResting = (world: World, pairId: string, submitted?: string): Map<string, string> => {
  const failed = new Map<string, string>();
  for (const { account, order } of [...(world.resting.get(pairId)?.values() ?? [])]) {
    const now = account.resting.has(order.uuid) ? triggered(world, account, order) : null;
    const error = now && isReached(now) ? execute(world, account, now, now.uuid === submitted) : null;
    if (error !== null) failed.set(order.uuid, error);
  }
  return failed;
};

/** The end of the uuid of a triggered stop-limit's limit order. */
const TRIGGERED = '-limit';

/** A triggered stop-limit of the newest builds continues as a separate limit order. */
const triggered = (world: World, account: Account, order: Resting): Resting => {
  if (world.style === '2025' || order.execution !== 'STOP_LIMIT' || !armed(order, order.pair.price)) return order;
  unrest(world, account, order);
  return rest(world, account, {
    ...order,
    uuid: `${order.uuid}${TRIGGERED}`,
    execution: 'LIMIT',
    stopPrice: null,
    stopCondition: null,
    processedMs: Date.now(),
  });
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

/** Returns the venue's text if the order failed: it was not filled, or its exits were not placed. */
const execute = (world: World, account: Account, order: Resting, isSubmitted: boolean): string | null => {
  const { uuid, pair, side, execution } = order;
  const notFilled = (error: string) =>
    textsOf(world.style).notFilled({ hotkey: account.hotkey, pair: pair.id, uuid }, error);
  const asMarket = isSubmitted && world.style === '2026';
  const pause = asMarket ? cooldown(world, account, pair) : null;
  if (pause !== null) {
    withdraw(world, account, order);
    return notFilled(pause);
  }
  // A bracket closes at most the current position, which may be smaller than when the bracket was placed.
  const executable = clamp(world.style, account, pair, order.quantity, pair.price);
  if (typeof executable === 'string') {
    if (uuid.endsWith(TRIGGERED))
      unrest(world, account, order); // it leaves no record
    else withdraw(world, account, order);
    return notFilled(executable);
  }
  unrest(world, account, order);
  const { quantity, cap } = executable;
  const part = { ...order, uuid, side, quantity, bindingCap: cap, execution, source: sourceOf(order, 'filled') };
  const filled = executed(account, pair, { ...part, price: pair.price, value: worthOf(pair, quantity) });
  fill(world, account, filled, 'fill');
  if (asMarket) account.lastOrderMs.set(pair.id, filled.processedMs);
  const failed = execution === 'BRACKET' ? null : addBrackets(world, account, filled);
  if (failed === null) return null;
  // The newest builds list the filled order as cancelled as well.
  if (world.style === '2026') account.ended.push({ ...order, source: sourceOf(order, 'cancelled') });
  return notFilled(failed);
};
