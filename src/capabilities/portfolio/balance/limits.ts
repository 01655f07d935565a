import type { components } from '../../../contract/types.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { displayPair } from '../../../kernel/exchange-names.ts';
import type { Asset } from '../../../venues/exchange/adapter/types.ts';
import type { Limits, TradePair } from '../../../venues/network/adapter/types.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { isOpenTo, shownPair } from '../rules.ts';
import { findLimits, requireFound, requireValue, type Trader } from '../traders.ts';

type LeverageLimits = components['schemas']['LeverageLimits'];

/**
 * The limits of a trader. The limits of a subaccount contain every pair. Those of a linked wallet are one figure for
 * all pairs; the limits per pair come from the registry. A wallet that the network does not know has the limits of the
 * exchange.
 */
export async function readLimits(
  reads: VenueReads,
  trader: Trader,
  balance: () => Promise<string>,
): Promise<LeverageLimits> {
  const limits = await findLimits(reads, trader);
  if (limits) {
    const needsPairs = Object.keys(limits.pairLeverage).length === 0;
    return networkLimits(limits, needsPairs ? requireFound(await reads.tradePairs()) : [], trader.venue);
  }
  return exchangeLimits(requireFound(await reads.exchangeAssets('')), Number(await balance()));
}

/**
 * The network's limits in the shape of the contract. Throws VENUE_UNREADABLE if the venue omits a value they depend on.
 */
export function networkLimits(limits: Limits, pairs: TradePair[], venue: Trader['venue']): LeverageLimits {
  const size = requireValue(limits.accountSize ?? sizeOf(limits));
  if (size <= 0) throw new ApiError('VENUE_UNREADABLE');
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

/** The maximum multiple of the account size for a position in a pair; null if neither venue reports it. */
export function pairMultiple(limits: Limits, pair: TradePair): number | null {
  const multiple = limits.pairLeverage[pair.tradePair];
  if (multiple !== undefined) return multiple;
  const byTier = limits.tier === null ? undefined : pair.leverageByTier?.[String(limits.tier)];
  if (byTier !== undefined) return byTier;
  if (limits.perPairUsd !== null && limits.accountSize) return limits.perPairUsd / limits.accountSize;
  return pair.maxLeverage;
}

/** The account size computed from the portfolio limit; null if that is not possible. */
const sizeOf = ({ portfolioUsd, portfolioMultiple }: Limits): number | null =>
  portfolioMultiple ? portfolioUsd / portfolioMultiple : null;

function levelsOf(limits: Limits, pairs: TradePair[], venue: Trader['venue']): Record<string, number> {
  const named = Object.entries(limits.pairLeverage).map(([id, multiple]) => [shownPair(id), multiple] as const);
  const listed = pairs
    .filter((pair) => pair.state === 'allowed' && (venue === 'netvenue' || isOpenTo('hl_all', pair)))
    .flatMap((pair) => {
      const multiple = pairMultiple(limits, pair);
      return multiple === null ? [] : [[shownPair(pair.display), multiple] as const];
    });
  return Object.fromEntries(named.length > 0 ? named : listed);
}

/** The exchange limits only the leverage of each asset. */
function exchangeLimits(assets: Asset[], balance: number): LeverageLimits {
  const levels = assets
    .filter(({ isDelisted, maxLeverage }) => !isDelisted && maxLeverage !== null)
    .map(({ coin, maxLeverage }) => [displayPair(coin), Number(maxLeverage)] as const);
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
