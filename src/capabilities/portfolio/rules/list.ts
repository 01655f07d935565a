import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import type { Dashboard, Limits } from '../../../venues/network/adapter/types.ts';
import { drawdownOf } from '../balance/drawdown.ts';
import { accountTypeOf } from '../rules.ts';
import { requireValue } from '../traders.ts';
import type { PairDetail } from './pairs.ts';

type Rule = components['schemas']['Rule'];

/** Two rules for every pair that may be traded: the permission, and the maximum leverage. */
export const pairRules = (details: PairDetail[]): Rule[] =>
  details
    .filter(({ state }) => state !== 'disabled')
    .flatMap((detail) => [allowedRule(detail), ...(detail.max_leverage === null ? [] : [leverageRule(detail)])]);

const allowedRule = ({ pair, trade_pair, state }: PairDetail): Rule => ({
  rule_id: `pair.allowed::${trade_pair}`,
  category: 'pairs',
  description: state === 'allowed' ? `${pair} may be traded.` : `Positions in ${pair} may only be reduced.`,
  current_value: state,
  limit: 'allowed',
  applies_to: pair,
});

const leverageRule = ({ pair, trade_pair, max_leverage }: PairDetail): Rule => ({
  rule_id: `leverage.pair_max::${trade_pair}`,
  category: 'leverage',
  description: `A position in ${pair} is at most this multiple of the account.`,
  current_value: null,
  limit: text(max_leverage),
  applies_to: pair,
});

/** The rules of an account at the network with current values. Percentages and multiples are plain decimals. */
export function accountRules(dashboard: Dashboard, limits: Limits): Rule[] {
  const size = requireValue(dashboard.accountSize);
  const { intraday, intradayLimit, endOfDay, endOfDayLimit } = drawdownOf(dashboard);
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
    rule('drawdown.eod', 'drawdown', 'Percent an end of day may lie below the highest end of day.', {
      now: endOfDay,
      limit: text(endOfDayLimit),
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

/** The rules of the exchange, for wallets that the network does not know. */
export const exchangeRules = (): Rule[] => [
  rule('order.minimum', 'exposure', 'An order is worth at least this many USD, unless it closes a position.', {
    now: null,
    limit: '10',
  }),
];

/** See venues/network-validator.md#cooldown. */
const COOLDOWN_S = 5;
/** In percent of the account size. See venues/network-validator.md#passing. */
const PROFIT_TARGET = { forex: '8', other: '10' } as const;

function challengeRules({ bucket, money, assetClass }: Dashboard, size: number): Rule[] {
  if (accountTypeOf(bucket) === 'funded') return [];
  const gained = money?.balance == null ? null : (money.balance / size - 1) * 100;
  return [
    rule('challenge.profit_target', 'challenge', 'Percent the account must gain to pass its challenge.', {
      now: gained,
      limit: assetClass === 'forex' ? PROFIT_TARGET.forex : PROFIT_TARGET.other,
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
