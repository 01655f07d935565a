import type { PairDetail } from '../../portfolio.ts';
import type { Limits, TradePair } from '../adapter/types.ts';
import { pairMultiple } from './limits.ts';
import { namesPair, shownPair } from './names.ts';

/** Pairs as shown to a trader, with the maximum leverage by the limits of its account, if it has any. */
export const shownPairs = (pairs: TradePair[], limits: Limits | null): PairDetail[] =>
  pairs.map((pair) => shownDetail(pair, limits ? pairMultiple(limits, pair) : pair.maxLeverage));

const shownDetail = (pair: TradePair, multiple: number | null): PairDetail => ({
  pair: shownPair(pair.display),
  trade_pair: pair.tradePair,
  category: pair.category,
  source: pair.source,
  state: pair.state,
  max_leverage: multiple,
  ex_coin: pair.exCoin,
});

/** The pair that is traded under another id than the caller's: older builds had `BTCUSD` for `BTCUSDC`. Null if there is none. */
export function successorOf(pairs: TradePair[], wireId: string): string | null {
  const allowed = pairs.filter(({ state }) => state === 'allowed');
  return allowed.find(({ tradePair }) => tradePair !== wireId && namesPair(wireId, tradePair))?.tradePair ?? null;
}

/**
 * The network pair that a caller's name denotes; an exact wire id or display name comes first. Null if it is not
 * listed.
 */
export function findPair(pairs: TradePair[], name: string): TradePair | null {
  const exact = pairs.find(({ tradePair, display }) => tradePair === name || display === name);
  return exact ?? pairs.find(({ tradePair }) => namesPair(name, tradePair)) ?? null;
}
