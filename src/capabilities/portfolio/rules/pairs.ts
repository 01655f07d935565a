import type { components } from '../../../contract/types.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { dexOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { Asset } from '../../../venues/exchange/adapter/types.ts';
import type { TradePair } from '../../../venues/network/adapter/types.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { pairMultiple } from '../balance/limits.ts';
import { isOpenTo, namesPair, shownPair } from '../rules.ts';
import { findDashboard, findLimits, requireFound, type Trader } from '../traders.ts';

type SupportedPairs = components['schemas']['SupportedPairs'];
/** A pair as shown to a trader. */
export type PairDetail = SupportedPairs['details'][number];

/**
 * The pairs that a trader may trade. For a trader that the network knows: the pairs of the account's class, or, for a
 * linked wallet, those that the exchange lists. For any other wallet: the pairs of the exchange. Throws
 * VENUE_UNREADABLE.
 */
export async function readPairs(reads: VenueReads, trader: Trader): Promise<PairDetail[]> {
  const dashboard = await findDashboard(reads, trader);
  if (!dashboard) return exchangePairs(await readAssets(reads), requireFound(await reads.tradePairs()));
  const assetClass = trader.venue === 'exvenue' ? 'hl_all' : dashboard.assetClass;
  const [pairs, limits] = await Promise.all([reads.tradePairs(), findLimits(reads, trader)]);
  const open = requireFound(pairs).filter((pair) => isOpenTo(assetClass, pair));
  return open.map((pair) => shownDetail(pair, limits ? pairMultiple(limits, pair) : pair.maxLeverage));
}

/** The names of the pairs in which positions may be opened, sorted. */
export const openable = (details: PairDetail[]): string[] =>
  details
    .filter(({ state }) => state === 'allowed')
    .map(({ pair }) => pair)
    .sort();

/**
 * The network pair that a caller's name denotes; an exact wire id or display name comes first. Null if it is not
 * listed.
 */
export function findPair(pairs: TradePair[], name: string): TradePair | null {
  const exact = pairs.find(({ tradePair, display }) => tradePair === name || display === name);
  return exact ?? pairs.find(({ tradePair }) => namesPair(name, tradePair)) ?? null;
}

/** All assets of the exchange's perpetual dexes. Throws VENUE_UNREADABLE if one dex cannot be read. */
async function readAssets(reads: VenueReads): Promise<Asset[]> {
  const dexes = await reads.exchangeDexes();
  if (dexes.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE');
  const names = ['', ...(dexes.kind === 'found' ? dexes.data : [])];
  const lists = await Promise.all(names.map((dex) => reads.exchangeAssets(dex)));
  return lists.flatMap(requireFound);
}

const shownDetail = (pair: TradePair, multiple: number | null): PairDetail => ({
  pair: shownPair(pair.display),
  trade_pair: pair.tradePair,
  category: pair.category,
  source: pair.source,
  state: pair.state,
  max_leverage: multiple,
  ex_coin: pair.exCoin,
});

/** The assets of the exchange, with the network's id and category for coins that the network lists as well. */
function exchangePairs(assets: Asset[], registry: TradePair[]): PairDetail[] {
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
