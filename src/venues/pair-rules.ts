import type { components } from '../contract/types.ts';
import { ofNumber } from '../kernel/decimals.ts';
import type { PairDetail, Portfolio } from './portfolio.ts';

type Rule = components['schemas']['Rule'];

/** The rules of a trader with current values, and those of its pairs. Throws VENUE_UNREADABLE if the venue cannot be read. */
export async function rulesOf(portfolio: Portfolio): Promise<Rule[]> {
  const [rules, details] = await Promise.all([portfolio.rules(), portfolio.pairs()]);
  return [...rules, ...pairRules(details)];
}

/** Two rules for every pair that may be traded: the permission, and the maximum leverage. */
const pairRules = (details: PairDetail[]): Rule[] =>
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
  limit: ofNumber(Number(max_leverage), PLACES),
  applies_to: pair,
});

const PLACES = 4;
