import type { components } from '../../../contract/types.ts';
import { roundedNumber } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { requireValue } from '../../found.ts';
import type { Limits, TradePair } from '../adapter/types.ts';
import { shownPair } from './names.ts';

type LeverageLimits = components['schemas']['LeverageLimits'];

/**
 * The network's limits in the shape of the contract. They contain every pair, or one figure for all pairs; then the
 * limits per pair are those of `pairs`. Throws VENUE_UNREADABLE if the venue omits a value they depend on.
 */
export function networkLimits(limits: Limits, pairs: TradePair[]): LeverageLimits {
  const size = requireValue(limits.accountSize ?? sizeOf(limits));
  if (size <= 0) throw new ApiError('VENUE_UNREADABLE');
  const levels = levelsOf(limits, pairs);
  const multiples = Object.values(levels);
  const highest = multiples.length > 0 ? Math.max(...multiples) : null;
  const perPairUsd = roundedNumber(limits.perPairUsd ?? requireValue(highest) * size);
  const portfolio = roundedNumber(limits.portfolioUsd / size);
  return {
    account_level: portfolio,
    position_level: levels,
    max_position_per_pair_usd: perPairUsd,
    max_portfolio_usd: limits.portfolioUsd,
    pair_limit_ratio: roundedNumber(perPairUsd / size),
    portfolio_limit_ratio: portfolio,
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
  if (limits.perPairUsd !== null && limits.accountSize) return roundedNumber(limits.perPairUsd / limits.accountSize);
  return pair.maxLeverage;
}

/** The account size computed from the portfolio limit; null if that is not possible. */
const sizeOf = ({ portfolioUsd, portfolioMultiple }: Limits): number | null =>
  portfolioMultiple ? portfolioUsd / portfolioMultiple : null;

function levelsOf(limits: Limits, pairs: TradePair[]): Record<string, number> {
  const named = Object.entries(limits.pairLeverage).map(([id, multiple]) => [shownPair(id), multiple] as const);
  const listed = pairs
    .filter((pair) => pair.state === 'allowed')
    .flatMap((pair) => {
      const multiple = pairMultiple(limits, pair);
      return multiple === null ? [] : [[shownPair(pair.display), multiple] as const];
    });
  return Object.fromEntries(named.length > 0 ? named : listed);
}
