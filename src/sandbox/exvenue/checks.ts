import { absolute, compare, isPositive, isZero, minus, times } from '../../kernel/decimals.ts';
import { lesser, reducible } from './book.ts';
import { marginOf, moneyOf, worth } from './positions.ts';
import { isTriggered } from './prices.ts';
import type { OrderAsked } from './request.ts';
import type { Account, Coin } from './world.ts';

/** Why an order is refused: the venue's text, and the word it is recorded under. Venue facts: errors, order statuses. */
export type Refused = { text: string; word: string };

/** An order beside what is known of it. `parentPrice`: of the order whose fill an exit waits for. */
export type Candidate = {
  owner: Account;
  coin: Coin;
  asked: OrderAsked;
  followsPosition: boolean;
  parentPrice: string | null;
};

/** The first thing wrong with an order, null where nothing is. */
export const refusalOf = (candidate: Candidate): Refused | null => {
  const failed = CHECKS.find(([holds]) => !holds(candidate));
  return failed ? { text: `${failed[1]} asset=${candidate.coin.id}`, word: failed[2] } : null;
};

type Check = readonly [holds: (candidate: Candidate) => boolean, text: string, word: string];

const MINIMUM_USD = '10';
const SIGNIFICANT_FIGURES = 5;
const PRICE_DECIMALS = 6;

const isTradable = ({ coin }: Candidate) => !coin.isDelisted;
const hasPrice = ({ asked }: Candidate) => isPositive(asked.price);
const hasSize = ({ asked, followsPosition }: Candidate) => followsPosition || !isZero(asked.size);
const isInLots = ({ asked, coin }: Candidate) =>
  isPositiveOrZero(asked.size) && decimals(asked.size) <= coin.sizeDecimals;
const isInTicks = ({ asked, coin }: Candidate) =>
  [asked.price, asked.trigger?.triggerPx ?? asked.price].every((price) => onTick(price, coin.sizeDecimals));

/** Size × limit price; an order that closes the whole position is exempt. */
const isWorthIt = (candidate: Candidate) => {
  const { asked, followsPosition, parentPrice } = candidate;
  const closesAll = asked.reduceOnly && compare(asked.size, reducible(sided(candidate))) >= 0 && parentPrice === null;
  return closesAll || followsPosition || compare(times(asked.size, asked.price), MINIMUM_USD) >= 0;
};

const isNear = ({ asked, coin }: Candidate) =>
  asked.trigger !== null || compare(absolute(minus(asked.price, coin.mid)), times(coin.mid, '0.8')) <= 0;

const reduces = (candidate: Candidate) =>
  !candidate.asked.reduceOnly || candidate.parentPrice !== null || reducible(sided(candidate)) !== '0';

const triggersLater = ({ asked, coin, parentPrice }: Candidate) =>
  asked.trigger === null || !isTriggered(asked.isBuy, asked.trigger, parentPrice ?? coin.mid);

const isCovered = (candidate: Candidate) => {
  const { owner, coin, asked } = candidate;
  if (asked.reduceOnly || asked.trigger) return true;
  const opens = minus(asked.size, lesser(asked.size, reducible(sided(candidate))));
  const price = asked.isBuy ? lesser(asked.price, coin.mid) : coin.mid;
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
  [triggersLater, 'Invalid TP/SL price.', 'badTriggerPxRejected'],
  [isCovered, 'Insufficient margin to place order.', 'perpMarginRejected'],
];

/** Counted on the digits themselves, since a price is right or wrong as it is written. */
const onTick = (price: string, sizeDecimals: number): boolean => {
  if (!price.includes('.')) return true;
  const figures = price.replace('.', '').replace(/^0+/, '').length;
  return figures <= SIGNIFICANT_FIGURES && decimals(price) <= PRICE_DECIMALS - sizeDecimals;
};

const decimals = (text: string): number => text.split('.')[1]?.length ?? 0;
const isPositiveOrZero = (size: string): boolean => !size.startsWith('-');
const sided = ({ owner, coin, asked }: Candidate) => ({ owner, coin, isBuy: asked.isBuy });
