import { type Account, type Order, type Resting, record, type World } from './world.ts';

/** Source codes of orders by execution type and state. See venues/network-validator.md#order-source-codes. */
const SOURCES = {
  LIMIT: { resting: 5, filled: 6, cancelled: 7 },
  BRACKET: { resting: 8, filled: 9, cancelled: 10 },
  STOP_LIMIT: { resting: 13, filled: 14, cancelled: 15 },
} as const;

/** The source code of a resting, filled or cancelled order; 0 for an order that never rested. */
export const sourceOf = ({ execution }: Pick<Order, 'execution'>, fate: 'resting' | 'filled' | 'cancelled'): number =>
  execution === 'LIMIT' || execution === 'BRACKET' || execution === 'STOP_LIMIT' ? SOURCES[execution][fate] : 0;

/** Adds an order to the book until its price is reached. */
export const rest = (world: World, account: Account, order: Order): Resting => {
  const resting = { ...order, source: sourceOf(order, 'resting'), armed: false, best: order.pair.price };
  account.resting.set(order.uuid, resting);
  const ofPair = world.resting.get(order.pair.id) ?? new Map();
  world.resting.set(order.pair.id, ofPair.set(order.uuid, { account, order: resting }));
  return resting;
};

/** Removes an order from the book without recording an end. */
export const unrest = (world: World, account: Account, order: Order): void => {
  account.resting.delete(order.uuid);
  world.resting.get(order.pair.id)?.delete(order.uuid);
};

/** Ends a resting order unfilled. It is then listed as cancelled, unless its source is one that the lists leave out. */
export const withdraw = (world: World, account: Account, order: Order, source = sourceOf(order, 'cancelled')): void => {
  unrest(world, account, order);
  account.ended.push({ ...order, source });
};

/** LIMIT_CANCEL of one order; writes a ledger entry. */
export const cancel = (world: World, account: Account, order: Order): void => {
  withdraw(world, account, order);
  record(world, account, 'cancel', order);
};

/** Withdraws the brackets of a closed position. */
export const sweepBrackets = (world: World, account: Account, pairId: string): void => {
  for (const order of [...account.resting.values()]) {
    if (order.execution === 'BRACKET' && order.pair.id === pairId) withdraw(world, account, order);
  }
};
