import { type Account, type Order, type Resting, record, type World } from './world.ts';

/** Source codes of orders, by what rests and what became of it. Venue facts: order source codes. */
const SOURCES = {
  LIMIT: { resting: 5, filled: 6, cancelled: 7 },
  BRACKET: { resting: 8, filled: 9, cancelled: 10 },
  STOP_LIMIT: { resting: 13, filled: 14, cancelled: 15 },
} as const;

/** The source code of an order that rests, filled or was cancelled; 0 for one that never rested. */
export const sourceOf = ({ execution }: Pick<Order, 'execution'>, fate: 'resting' | 'filled' | 'cancelled'): number =>
  execution === 'LIMIT' || execution === 'BRACKET' || execution === 'STOP_LIMIT' ? SOURCES[execution][fate] : 0;

/** Holds an order until its price comes. */
export const rest = (world: World, account: Account, order: Order): Resting => {
  const resting = { ...order, source: sourceOf(order, 'resting'), armed: false, best: order.pair.price };
  account.resting.set(order.uuid, resting);
  const ofPair = world.resting.get(order.pair.id) ?? new Map();
  world.resting.set(order.pair.id, ofPair.set(order.uuid, { account, order: resting }));
  return resting;
};

/** Takes an order off the book without a word about its fate. */
export const unrest = (world: World, account: Account, order: Order): void => {
  account.resting.delete(order.uuid);
  world.resting.get(order.pair.id)?.delete(order.uuid);
};

/** Ends a resting order unfilled; it is listed as cancelled from then on. */
export const withdraw = (world: World, account: Account, order: Order): void => {
  unrest(world, account, order);
  account.ended.push({ ...order, source: sourceOf(order, 'cancelled') });
};

/** LIMIT_CANCEL of one order, on the record. */
export const cancel = (world: World, account: Account, order: Order): void => {
  withdraw(world, account, order);
  record(world, account, 'cancel', order);
};

/** Withdraws what rests behind a position that is gone: brackets never outlive it. */
export const sweepBrackets = (world: World, account: Account, pairId: string): void => {
  for (const order of [...account.resting.values()]) {
    if (order.execution === 'BRACKET' && order.pair.id === pairId) withdraw(world, account, order);
  }
};
