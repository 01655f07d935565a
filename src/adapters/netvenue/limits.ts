import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import type { Reply } from '../http.ts';
import { readAnswer } from './answers.ts';
import { entriesOf, type Fields, fieldsOf, numberOf } from './fields.ts';
import type { Limits } from './types.ts';

/** What a subaccount may hold; one linked to a wallet has one figure for all pairs. Venue facts: per-subaccount limits. */
export const limitsAnswer = (reply: Reply): Lookup<Limits> => readLimits(readAnswer(reply));

/** Multiples by name; null for anything that is no dictionary of numbers. */
export const readMultiples = (value: unknown): Record<string, number> | null => {
  const entries = fieldsOf(value) && entriesOf(value);
  if (!entries) return null;
  const numbers = entries.flatMap(([name, member]) => {
    const number = numberOf(member);
    return name === null || number === null ? [] : [[name, number] as const];
  });
  return numbers.length > 0 ? Object.fromEntries(numbers) : null;
};

/** Without the cap of the whole portfolio an answer says nothing. */
const readLimits = (answer: Lookup<Fields>): Lookup<Limits> => {
  if (answer.kind !== 'found') return answer;
  const { said } = answer;
  const portfolioUsd = numberOf(said.max_portfolio_usd);
  if (portfolioUsd === null) return unreadable('no limits in the answer');
  return found({
    tier: numberOf(said.tier),
    accountSize: numberOf(said.account_size),
    portfolioMultiple: numberOf(said.portfolio_multiplier),
    portfolioUsd,
    perPairUsd: numberOf(said.max_position_per_pair_usd),
    classUsd: readMultiples(said.max_asset_class_usd),
    pairLeverage: readMultiples(said.positional_leverage) ?? {},
  });
};
