import type { Asset } from '../../adapters/exvenue/types.ts';
import type { Limits, TradePair } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import { Refusal } from '../../kernel/refusals.ts';
import type { VenueReads } from '../reads.ts';
import { coinPair, isOpenTo, shownPair } from '../rules.ts';
import { findLimits, known, must, type Trader } from '../traders.ts';

type LeverageLimits = components['schemas']['LeverageLimits'];

/**
 * What a trader may hold. A subaccount's limits name every pair; a linked wallet's are one figure for all, to which the
 * registry adds what it says of each pair; a wallet the network does not know has the exchange's own.
 */
export async function readLimits(
  reads: VenueReads,
  trader: Trader,
  balance: () => Promise<string>,
): Promise<LeverageLimits> {
  const limits = await findLimits(reads, trader);
  if (limits) {
    const needsPairs = Object.keys(limits.pairLeverage).length === 0;
    return networkLimits(limits, needsPairs ? must(await reads.tradePairs()) : [], trader.venue);
  }
  return exchangeLimits(must(await reads.exchangeAssets('')), Number(await balance()));
}

/** The network's limits as they are shown. Refuses where the venue left out what they are counted from. */
export function networkLimits(limits: Limits, pairs: TradePair[], venue: Trader['venue']): LeverageLimits {
  const size = known(limits.accountSize ?? sizeOf(limits));
  if (size <= 0) throw new Refusal('VENUE_UNREADABLE');
  const levels = levelsOf(limits, pairs, venue);
  const perPairUsd = limits.perPairUsd ?? Math.max(0, ...Object.values(levels)) * size;
  return {
    account_level: limits.portfolioUsd / size,
    position_level: levels,
    max_position_per_pair_usd: perPairUsd,
    max_portfolio_usd: limits.portfolioUsd,
    pair_limit_ratio: perPairUsd / size,
    portfolio_limit_ratio: limits.portfolioUsd / size,
    max_asset_class_usd: limits.classUsd,
    tier: limits.tier,
  };
}

/** The multiple of its account one pair may reach; null where nobody says. */
export function pairMultiple(limits: Limits, pair: TradePair): number | null {
  const own = limits.pairLeverage[pair.tradePair];
  if (own !== undefined) return own;
  const byTier = limits.tier === null ? undefined : pair.leverageByTier?.[String(limits.tier)];
  if (byTier !== undefined) return byTier;
  if (limits.perPairUsd !== null && limits.accountSize) return limits.perPairUsd / limits.accountSize;
  return pair.maxLeverage;
}

/** Without the size of the account its portfolio's multiple tells it. */
const sizeOf = ({ portfolioUsd, portfolioMultiple }: Limits): number | null =>
  portfolioMultiple ? portfolioUsd / portfolioMultiple : null;

function levelsOf(limits: Limits, pairs: TradePair[], venue: Trader['venue']): Record<string, number> {
  const told = Object.entries(limits.pairLeverage).map(([id, multiple]) => [shownPair(id), multiple] as const);
  const listed = pairs
    .filter((pair) => pair.state === 'allowed' && (venue === 'netvenue' || isOpenTo('hl_all', pair)))
    .flatMap((pair) => {
      const multiple = pairMultiple(limits, pair);
      return multiple === null ? [] : [[shownPair(pair.display), multiple] as const];
    });
  return Object.fromEntries(told.length > 0 ? told : listed);
}

/** The exchange caps each asset by its leverage and nothing beyond the balance. */
function exchangeLimits(assets: Asset[], balance: number): LeverageLimits {
  const levels = assets
    .filter(({ isDelisted, maxLeverage }) => !isDelisted && maxLeverage !== null)
    .map(({ coin, maxLeverage }) => [coinPair(coin), Number(maxLeverage)] as const);
  const highest = Math.max(0, ...levels.map(([, multiple]) => multiple));
  return {
    account_level: highest,
    position_level: Object.fromEntries(levels),
    max_position_per_pair_usd: highest * balance,
    max_portfolio_usd: highest * balance,
    pair_limit_ratio: highest,
    portfolio_limit_ratio: highest,
    max_asset_class_usd: null,
    tier: null,
  };
}
