import { dexOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { MirroredPair } from '../../links.ts';
import type { PairDetail } from '../../portfolio.ts';
import type { Asset } from '../adapter/types.ts';

/** The assets of the exchange, with the network's id and category for coins that the network lists as well. */
export function shownPairs(assets: Asset[], registry: MirroredPair[]): PairDetail[] {
  return assets.map(({ coin, maxLeverage, isDelisted }) => {
    const listed = registry.find(({ exCoin }) => exCoin === coin);
    return {
      pair: displayPair(coin),
      trade_pair: listed?.tradePair ?? coin,
      category: listed?.category ?? (dexOf(coin) === '' ? 'crypto' : 'other'),
      source: 'hyperliquid',
      state: isDelisted ? 'disabled' : 'allowed',
      max_leverage: maxLeverage,
      ex_coin: coin,
    };
  });
}
