import type { Asset } from '../../adapters/exvenue/types.ts';
import type { TradePair } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { pairMultiple } from '../balance/limits.ts';
import type { VenueReads } from '../reads.ts';
import { coinPair, dexOf, isOpenTo, namesPair, shownPair } from '../rules.ts';
import { findDashboard, findLimits, must, type Trader } from '../traders.ts';

type SupportedPairs = components['schemas']['SupportedPairs'];
export type PairDetail = SupportedPairs['details'][number];

/**
 * The pairs a trader may trade, read from the venues: those of the account's class for one the network knows (for a linked
 * wallet, what the exchange lists), and the exchange's own for any other wallet.
 */
export async function readPairs(reads: VenueReads, trader: Trader): Promise<PairDetail[]> {
  const dashboard = await findDashboard(reads, trader);
  if (!dashboard) return exchangePairs(await readAssets(reads), must(await reads.tradePairs()));
  const assetClass = trader.venue === 'exvenue' ? 'hl_all' : dashboard.assetClass;
  const [pairs, limits] = await Promise.all([reads.tradePairs(), findLimits(reads, trader)]);
  const open = must(pairs).filter((pair) => isOpenTo(assetClass, pair));
  return open.map((pair) => shownDetail(pair, limits ? pairMultiple(limits, pair) : pair.maxLeverage));
}

/** Those of these pairs that may be opened, sorted by name. */
export const openable = (details: PairDetail[]): string[] =>
  details
    .filter(({ state }) => state === 'allowed')
    .map(({ pair }) => pair)
    .sort();

/** The pair of the network a caller means; the exact wire id before any other spelling. Null for one it does not list. */
export function findPair(pairs: TradePair[], asked: string): TradePair | null {
  const exact = pairs.find(({ tradePair, display }) => tradePair === asked || display === asked);
  return exact ?? pairs.find(({ tradePair }) => namesPair(asked, tradePair)) ?? null;
}

/** Every asset of the exchange's perpetual dexes. Refuses where one of them could not be read. */
async function readAssets(reads: VenueReads): Promise<Asset[]> {
  const dexes = await reads.exchangeDexes();
  if (dexes.kind === 'unreadable') throw new Refusal('VENUE_UNREADABLE');
  const names = ['', ...(dexes.kind === 'found' ? dexes.said : [])];
  const lists = await Promise.all(names.map((dex) => reads.exchangeAssets(dex)));
  return lists.flatMap(must);
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

/** What the exchange lists, with the network's name and category where it lists the coin too. */
function exchangePairs(assets: Asset[], registry: TradePair[]): PairDetail[] {
  return assets.map(({ coin, maxLeverage, isDelisted }) => {
    const listed = registry.find(({ exCoin }) => exCoin === coin);
    return {
      pair: coinPair(coin),
      trade_pair: listed?.tradePair ?? coin,
      category: listed?.category ?? (dexOf(coin) === '' ? 'crypto' : 'other'),
      source: 'hyperliquid',
      state: isDelisted ? 'disabled' : 'allowed',
      max_leverage: maxLeverage,
      ex_coin: coin,
    };
  });
}
