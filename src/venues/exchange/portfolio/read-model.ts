import type { Db } from '../../../db/pool.ts';
import { fairLimit } from '../../../kernel/concurrency.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { dexOf, displayPair } from '../../../kernel/exchange-names.ts';
import type { OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { foundOrNull, requireFound } from '../../found.ts';
import type { Span } from '../../history.ts';
import type { Links, MirroredPair } from '../../links.ts';
import type { PairDetail, Portfolio } from '../../portfolio.ts';
import { listPlacedOrders } from '../../queries.ts';
import type { VenueReads } from '../../reads.ts';
import type { Asset, Fill } from '../adapter/types.ts';
import { readFills, readFillsOfOrders, withOpenings } from '../ledger/history.ts';
import { exchangeAccount, exchangeLimits, exchangeRules } from './account.ts';
import { readExchangeFacts } from './facts.ts';
import { closedPositions, filledOrders, fillsOf, intentIdOf } from './history.ts';
import { readHoldings } from './holdings.ts';
import { readPositions } from './positions.ts';

/** How far before a span fills are read, to find the opening of positions that were closed within the span. */
const HISTORY_SPAN_MS = 30 * 86_400_000;

/**
 * Histories are computed one at a time, because one of 10,000 executions takes half a second of the process, which does other work in between. Owners
 * take turns; of each at most 100 wait.
 */
const computing = fairLimit(1, 100);

/** What portfolios at the exchange are read from. */
export type PortfolioDeps = { db: Db; reads: VenueReads; links: Links };

/**
 * The portfolio of a wallet (in lower case), which needs no enrollment for reads. An account that its owner linked to it decides on
 * limits, rules and pairs.
 */
export function openWallet({ db, reads, links }: PortfolioDeps, owner: OwnerId, wallet: WalletAddress): Portfolio {
  const linked = links.of(owner, wallet);
  const limits = async () =>
    (await linked.limits()) ??
    exchangeLimits(requireFound(await reads.exchangeAssets('')).rows, (await readHoldings(reads, wallet)).balance);
  const fills = ({ fromMs, toMs }: Span) => readFills({ db, reads }, { wallet, fromMs, toMs });
  return {
    async account() {
      const shown = await limits();
      return (await linked.account(shown)) ?? exchangeAccount(wallet, await readHoldings(reads, wallet), shown);
    },
    limits,
    positions: () => readPositions({ db, reads }, wallet),
    async closedPositions({ span, pair }) {
      const all = fillsOf(await fills({ ...span, fromMs: Math.max(0, span.fromMs - HISTORY_SPAN_MS) }), pair);
      const [whole, lots] = [await withOpenings({ db }, wallet, all), await readLots(reads, all)];
      return computing.run(owner, () => closedPositions(whole, span, lots));
    },
    async filledOrders({ span, pair }) {
      const all = fillsOf(await readFillsOfOrders({ db, reads }, { wallet, ...span }), pair);
      const ids = all.flatMap(({ cloid }) => (cloid === null ? [] : intentIdOf(cloid)));
      const unnamed = all.flatMap(({ cloid, oid }) => (cloid === null ? String(oid) : []));
      const [known, numbers] = [[...new Set(ids)], [...new Set(unnamed)]];
      const placed = await listPlacedOrders(db, owner, known, numbers);
      return computing.run(owner, () => filledOrders(all, placed, span));
    },
    rules: async () => (await linked.rules()) ?? exchangeRules(),
    pairs: async () => (await linked.pairs()) ?? shownPairs(await readAssets(reads), await links.registry()),
    facts: (trade) => readExchangeFacts({ reads, links, linked }, wallet, trade),
    payouts: () => linked.payouts(),
  };
}

/** The decimals of the sizes of every coin on the dexes of the fills. */
async function readLots(reads: VenueReads, fills: Fill[]): Promise<Map<string, number>> {
  const dexes = [...new Set(fills.map(({ coin }) => dexOf(coin)))];
  const assets = await Promise.all(dexes.map(async (dex) => foundOrNull(await reads.exchangeAssets(dex))?.rows ?? []));
  return new Map(assets.flat().map(({ coin, sizeDecimals }) => [coin, sizeDecimals]));
}

/** All assets of the exchange's perpetual dexes that can be traded. Throws VENUE_UNREADABLE if one dex cannot be read. */
async function readAssets(reads: VenueReads): Promise<Asset[]> {
  const dexes = await reads.exchangeDexes();
  if (dexes.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE');
  const names = ['', ...(dexes.kind === 'found' ? dexes.data : [])];
  const lists = await Promise.all(names.map((dex) => reads.exchangeAssets(dex)));
  return lists.flatMap((list) => requireFound(list).rows);
}

/** A wallet's balance; null without a wallet or if the exchange cannot be read, so that an account with a wallet is still shown. */
export async function findBalance(reads: VenueReads, wallet: WalletAddress | null): Promise<string | null> {
  if (wallet === null) return null;
  try {
    return (await readHoldings(reads, wallet)).balance;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** The assets of the exchange, with the network's id and category for coins that the network lists as well. */
function shownPairs(assets: Asset[], registry: MirroredPair[]): PairDetail[] {
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
