import { ofNumber, plus } from '../../../kernel/decimals.ts';
import { requireValue } from '../../found.ts';
import type { Cap } from '../../trade.ts';
import type { Dashboard, DashboardPosition, Limits, TradePair } from '../adapter/types.ts';
import { pairMultiple } from './limits.ts';
import { shownPair } from './names.ts';

const PLACES = 8;

/** The exposure of one position, in USD. */
export type Exposure = { tradePair: string; side: 'long' | 'short'; usd: string };

/** The exposure of an open position. Throws VENUE_UNREADABLE if the venue does not report it. */
export function exposureOf(position: DashboardPosition, { money, accountSize }: Dashboard): Exposure {
  const { tradePair, side, netValue, netLeverage } = position;
  const usd = netValue ?? requireValue(netLeverage) * requireValue(money?.balance ?? accountSize);
  return { tradePair, side: side === 'SHORT' ? 'short' : 'long', usd: ofNumber(Math.abs(usd), PLACES) };
}

type CapInputs = { pair: TradePair; pairs: TradePair[]; limits: Limits; balance: number };

/**
 * The caps of the pair, its class and the portfolio, with the exposure under each. The tightest applies: see
 * venues/network-validator.md#leverage-caps.
 */
export function capsOf({ pair, pairs, limits, balance }: CapInputs, exposures: Exposure[]): Cap[] {
  const multiple = pairMultiple(limits, pair);
  const held = exposures.filter(({ tradePair }) => tradePair === pair.tradePair);
  return [
    ...(multiple === null ? [] : [cap('leverage.pair_max', shownPair(pair.display), held, multiple * balance)]),
    ...classCap(limits.classUsd, pair, exposures, pairs),
    cap('leverage.portfolio_max', 'The portfolio', exposures, limits.portfolioUsd),
  ];
}

const cap = (rule: string, name: string, exposures: Exposure[], limitUsd: number): Cap => ({
  rule,
  name,
  held: exposures.reduce((sum, { usd }) => plus(sum, usd), '0'),
  limit: ofNumber(limitUsd, PLACES),
});

function classCap(
  classUsd: Record<string, number> | null,
  pair: TradePair,
  exposures: Exposure[],
  pairs: TradePair[],
): Cap[] {
  const limit = classUsd?.[pair.category];
  if (limit === undefined) return [];
  const classOf = new Map(pairs.map(({ tradePair, category }) => [tradePair, category]));
  const alike = exposures.filter(({ tradePair }) => classOf.get(tradePair) === pair.category);
  return [cap('leverage.class_max', `All of ${pair.category}`, alike, limit)];
}
