import { absolute, compare, isPositive, isZero, minus, times } from '../../kernel/decimals.ts';
import { lesser, reducible } from './book.ts';
import { marginOf, moneyOf, worth } from './positions.ts';
import { isTriggered } from './prices.ts';
import type { OrderTerms } from './request.ts';
import type { Account, Coin } from './world.ts';

/** Why an order is rejected: the venue's text and the recorded status. See venues/exchange.md#errors. */
export type Rejection = { text: string; word: string };

/** An order to check, with its context. `parentPrice`: the price of the order whose fill an exit waits for. */
export type Candidate = {
  owner: Account;
  coin: Coin;
  requested: OrderTerms;
  followsPosition: boolean;
  parentPrice: string | null;
};

/** The first error of an order, or null. */
export const errorOf = (candidate: Candidate): Rejection | null => {
  const failed = CHECKS.find(([holds]) => !holds(candidate));
  return failed ? { text: `${failed[1]} asset=${candidate.coin.id}`, word: failed[2] } : null;
};

type Check = readonly [holds: (candidate: Candidate) => boolean, text: string, word: string];

const MINIMUM_USD = '10';
const SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS = 6;

const isTradable = ({ coin }: Candidate) => !coin.isDelisted;
const hasPrice = ({ requested }: Candidate) => isPositive(requested.price);
const hasSize = ({ requested, followsPosition }: Candidate) => followsPosition || !isZero(requested.size);
const isInLots = ({ requested, coin }: Candidate) =>
  isPositiveOrZero(requested.size) && decimals(requested.size) <= coin.sizeDecimals;
const isInTicks = ({ requested, coin }: Candidate) =>
  [requested.price, requested.trigger?.triggerPx ?? requested.price].every((price) => onTick(price, coin.sizeDecimals));

/** Checks size × limit price. An order of exactly the whole position is exempt. See venues/exchange.md#minimum-order. */
const isWorthIt = (candidate: Candidate) => {
  const { requested, followsPosition, parentPrice } = candidate;
  const closesAll =
    requested.reduceOnly && compare(requested.size, reducible(sided(candidate))) === 0 && parentPrice === null;
  return closesAll || followsPosition || compare(times(requested.size, requested.price), MINIMUM_USD) >= 0;
};

/** The most that a limit order may be worth: ten times the largest market order. */
const isInValue = ({ requested, coin }: Candidate) => {
  const [, most] = LARGEST_USD.find(([leverage]) => coin.maxLeverage >= leverage) ?? [0, '5000000'];
  return compare(times(requested.size, requested.price), most) <= 0;
};

/** The largest market order, by the maximum leverage of a coin. */
const LARGEST_USD = [
  [25, '150000000'],
  [20, '50000000'],
  [10, '20000000'],
] as const;

const isNear = ({ requested, coin }: Candidate) =>
  requested.trigger !== null || compare(absolute(minus(requested.price, coin.mid)), times(coin.mid, '0.8')) <= 0;

const reduces = (candidate: Candidate) =>
  !candidate.requested.reduceOnly || candidate.parentPrice !== null || reducible(sided(candidate)) !== '0';

const triggersLater = ({ requested, coin, parentPrice }: Candidate) =>
  requested.trigger === null || !isTriggered(requested.isBuy, requested.trigger, parentPrice ?? coin.mid);

const isCovered = (candidate: Candidate) => {
  const { owner, coin, requested } = candidate;
  if (requested.reduceOnly || requested.trigger) return true;
  const opens = minus(requested.size, lesser(requested.size, reducible(sided(candidate))));
  const price = requested.isBuy ? lesser(requested.price, coin.mid) : coin.mid;
  return compare(marginOf(owner, coin, worth(opens, price)), moneyOf(owner, coin.dex).free) <= 0;
};

const CHECKS: readonly Check[] = [
  [isTradable, 'Trading is halted.', 'rejected'],
  [hasPrice, 'Order has invalid price.', 'rejected'],
  [hasSize, 'Order has zero size.', 'rejected'],
  [isInLots, 'Order has invalid size.', 'rejected'],
  [isInTicks, 'Price must be divisible by tick size.', 'tickRejected'],
  [isNear, 'Order price cannot be more than 80% away from the reference price', 'oracleRejected'],
  [reduces, 'Reduce only order would increase position.', 'reduceOnlyRejected'],
  [isWorthIt, `Order must have minimum value of $${MINIMUM_USD}.`, 'minTradeNtlRejected'],
  [isInValue, 'Order value too large.', 'rejected'],
  [triggersLater, 'Invalid TP/SL price.', 'badTriggerPxRejected'],
  [isCovered, 'Insufficient margin to place order.', 'perpMarginRejected'],
];

/** Counts the written digits, because the venue judges a price as it is written. */
const onTick = (price: string, sizeDecimals: number): boolean => {
  if (!price.includes('.')) return true;
  const figures = price.replace('.', '').replace(/^0+/, '').length;
  return figures <= SIGNIFICANT_FIGURES && decimals(price) <= PRICE_DECIMALS - sizeDecimals;
};

const decimals = (text: string): number => text.split('.')[1]?.length ?? 0;
const isPositiveOrZero = (size: string): boolean => !size.startsWith('-');
const sided = ({ owner, coin, requested }: Candidate) => ({ owner, coin, isBuy: requested.isBuy });
