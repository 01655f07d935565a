import type { components } from '../../../contract/types.ts';
import type { OverallRule } from '../../../kernel/buckets.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { requireValue } from '../../found.ts';
import { accountStatusOf } from '../../reads.ts';
import type { Dashboard, Limits } from '../adapter/types.ts';
import { drawdownOf, stageOf } from './drawdown.ts';

type Rule = components['schemas']['Rule'];

/** The rules of an account at the network with current values. Percentages and multiples are plain decimals. */
export function accountRules(dashboard: Dashboard, limits: Limits): Rule[] {
  const size = requireValue(dashboard.accountSize);
  const { intraday, intradayLimit, overall, overallLimit } = drawdownOf(dashboard);
  return [
    rule('leverage.portfolio_max', 'leverage', 'All positions together are at most this multiple of the account.', {
      now: dashboard.totalLeverage,
      limit: text(limits.portfolioUsd / requireValue(limits.accountSize ?? size)),
    }),
    ...Object.entries(limits.classUsd ?? {}).map(([name, usd]) =>
      rule(
        `leverage.class_max::${name}`,
        'exposure',
        `All positions in ${name} together are worth at most this, in USD.`,
        {
          now: null,
          limit: text(usd),
          appliesTo: name,
        },
      ),
    ),
    rule(
      'drawdown.intraday',
      'drawdown',
      'Percent the account may fall below its value at the day’s open (00:00 UTC).',
      {
        now: intraday,
        limit: text(intradayLimit),
      },
    ),
    rule(dashboard.overallRule, 'drawdown', OVERALL[dashboard.overallRule], {
      now: overall,
      limit: text(overallLimit),
    }),
    rule('order_frequency.cooldown', 'order_frequency', 'Seconds between two orders of one pair.', {
      now: null,
      limit: String(COOLDOWN_S),
    }),
    ...challengeRules(dashboard, size),
    rule(
      'payout.cadence',
      'payout',
      'Weeks end on Monday 00:00 UTC; a week above the highest balance so far pays the difference.',
      {
        now: null,
        limit: 'weekly',
      },
    ),
  ];
}

const OVERALL = {
  'drawdown.eod': 'Percent an end of day, or a pro account at any time, may lie below the highest end of day.',
  'drawdown.static': 'Percent the account may fall below its size.',
} satisfies Record<OverallRule, string>;

/** See venues/network-validator.md#cooldown. */
const COOLDOWN_S = 5;
/** In percent of the account size. See venues/network-validator.md#passing. */
const PROFIT_TARGET = { forex: '8', other: '10' } as const;

/** None for an eliminated account, which cannot pass any more. */
function challengeRules(dashboard: Dashboard, size: number): Rule[] {
  if (accountStatusOf(dashboard) === 'breached' || stageOf(dashboard) === 'funded') return [];
  const { money, assetClass } = dashboard;
  const gained = money?.balance == null ? null : (money.balance / size - 1) * 100;
  return [
    rule('challenge.profit_target', 'challenge', 'Percent the account must gain to pass its challenge.', {
      now: gained,
      limit: requireValue(assetClass) === 'forex' ? PROFIT_TARGET.forex : PROFIT_TARGET.other,
    }),
  ];
}

const rule = (
  rule_id: string,
  category: Rule['category'],
  description: string,
  { now, limit, appliesTo = null }: { now: number | null; limit: string; appliesTo?: string | null },
): Rule => ({
  rule_id,
  category,
  description,
  current_value: now === null ? null : text(now),
  limit,
  applies_to: appliesTo,
});

const PLACES = 4;
const text = (value: number | null): string => ofNumber(requireValue(value), PLACES);
