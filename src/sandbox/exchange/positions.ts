import {
  absolute,
  compare,
  dividedBy,
  isDecimal,
  isPositive,
  isZero,
  minus,
  negated,
  plus,
  roundedTo,
  times,
} from '../../kernel/decimals.ts';
import {
  type Account,
  type Coin,
  charge,
  deposit,
  type Fill,
  heldOf,
  leverageOf,
  type Order,
  type World,
} from './world.ts';

/** Fee rates of a fill's value for takers and makers of the lowest tier. See venues/exchange.md#fees. */
const FEES = { taker: '0.00045', maker: '0.00015' } as const;
const USD_PLACES = 6;
const PRICE_PLACES = 12;

/** Executes a part of an order: updates cash, position and fee of its owner, and the remaining size. */
export const execute = (world: World, order: Order, size: string, price: string, crossed: boolean): Fill => {
  const { owner, coin, isBuy } = order;
  const startPosition = heldOf(owner, coin);
  const closedPnl = usd(move(owner, coin, isBuy ? size : negated(size), price));
  const value = times(size, price);
  const fee = usd(times(value, crossed ? FEES.taker : FEES.maker));
  deposit(owner, closedPnl, coin.dex);
  charge(owner, fee, coin.dex);
  owner.actions.volume = plus(owner.actions.volume, value);
  order.size = isPositive(minus(order.size, size)) ? minus(order.size, size) : '0';
  order.filledSize = plus(order.filledSize, size);
  order.filledValue = plus(order.filledValue, value);
  const direction = directionOf(startPosition, isBuy);
  const tid = world.nextTid;
  world.nextTid += 1;
  const fill = { tid, order, price, size, timeMs: Date.now(), startPosition, direction, closedPnl, fee, crossed };
  owner.fills.push(fill);
  world.news.executed(fill);
  return fill;
};

/** Settles the funding of a coin: long positions pay this fraction of their value, short ones receive it. */
export const payFunding = (world: World, name: string, rate: string): boolean => {
  const coin = world.coins.get(name);
  if (!coin || !isDecimal(rate)) return false;
  for (const account of world.accounts.values()) {
    const size = heldOf(account, coin);
    if (isZero(size)) continue;
    const amount = usd(negated(times(times(size, coin.mid), rate)));
    deposit(account, amount, coin.dex);
    account.funding = [...(account.funding ?? []), { coin, timeMs: Date.now(), usd: amount, size, rate }];
  }
  return true;
};

/** Unrealized profit of a position at the mid price. */
export const unrealizedOf = (account: Account, coin: Coin): string => {
  const position = account.positions.get(coin.name);
  return position ? usd(times(position.size, minus(coin.mid, position.entry))) : '0';
};

/** Value, used margin, free margin, and what may be withdrawn of an account on a dex. */
export const moneyOf = (account: Account, dex: string) => {
  const positions = [...account.positions.values()].filter(({ coin }) => coin.dex === dex);
  const cash = account.cash?.get(dex) ?? '0';
  const value = positions.reduce((sum, { coin }) => plus(sum, unrealizedOf(account, coin)), cash);
  const notional = positions.reduce((sum, { coin, size }) => plus(sum, worth(size, coin.mid)), '0');
  const used = positions.reduce(
    (sum, { coin, size }) => plus(sum, marginOf(account, coin, worth(size, coin.mid))),
    '0',
  );
  const kept = times(notional, WITHDRAWAL_MARGIN);
  return {
    ...{ positions, cash, value: usd(value), notional: usd(notional), used: usd(used) },
    free: usd(above(value, used)),
    withdrawable: usd(above(value, compare(kept, used) > 0 ? kept : used)),
  };
};

/** What must remain of a withdrawal, as a part of the value of all positions. See venues/exchange.md#collateral. */
const WITHDRAWAL_MARGIN = '0.1';

const above = (value: string, used: string): string => (compare(value, used) > 0 ? minus(value, used) : '0');

/** Margin for a value of a coin at the account's leverage. */
export const marginOf = (account: Account, coin: Coin, value: string): string =>
  dividedBy(value, String(leverageOf(account, coin).value), USD_PLACES, 'up');

export const worth = (size: string, price: string): string => absolute(times(size, price));

/** Changes a position and returns the realized profit. */
const move = (account: Account, coin: Coin, change: string, price: string): string => {
  const { size: held, entry } = account.positions.get(coin.name) ?? { size: '0', entry: price };
  const size = plus(held, change);
  const opposite = !isZero(held) && isPositive(held) !== isPositive(change);
  const closed = opposite ? (compare(absolute(change), absolute(held)) < 0 ? negated(change) : held) : '0';
  if (isZero(size)) account.positions.delete(coin.name);
  else account.positions.set(coin.name, { coin, size, entry: entryOf({ held, entry, size, change, price, opposite }) });
  return times(closed, minus(price, entry));
};

type Move = { held: string; entry: string; size: string; change: string; price: string; opposite: boolean };

/** Entry price after a fill. Increased: the average. Reduced: unchanged. Reversed: the price of the fill. */
const entryOf = ({ held, entry, size, change, price, opposite }: Move): string => {
  if (opposite) return isPositive(held) === isPositive(size) ? entry : price;
  return dividedBy(plus(times(held, entry), times(change, price)), size, PRICE_PLACES, 'down');
};

const directionOf = (start: string, isBuy: boolean): string => {
  if (isZero(start) || isPositive(start) === isBuy) return isBuy ? 'Open Long' : 'Open Short';
  return isBuy ? 'Close Short' : 'Close Long';
};

const usd = (value: string): string => roundedTo(value, USD_PLACES, 'down');
