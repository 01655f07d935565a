import type { Reply } from '../../../adapters/http.ts';
import { found, type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { entriesOf, type Fields, fieldsOf, limitOf, namesAnother, numberOf, readResponse, sizeOf } from './fields.ts';
import type { Limits } from './types.ts';

/**
 * Reads a subaccount's limits. A wallet-linked subaccount has one figure for all pairs, and its wallet's name. See
 * venues/network-validator.md#limits-of-a-subaccount.
 */
export const limitsResponse = (reply: Reply, exAddress: string | null = null): ReadResult<Limits> =>
  readLimits(readResponse(reply), exAddress);

/** Reads multiples by name. Null for a value that is not a dictionary with numbers. */
export const readMultiples = (value: unknown): Record<string, number> | null => {
  const entries = fieldsOf(value) && entriesOf(value);
  if (!entries) return null;
  const numbers = entries.flatMap(([name, member]) => {
    const number = limitOf(member);
    return name === null || number === null ? [] : [[name, number] as const];
  });
  return numbers.length > 0 ? Object.fromEntries(numbers) : null;
};

/** A response without the portfolio cap is unreadable. */
const readLimits = (response: ReadResult<Fields>, exAddress: string | null): ReadResult<Limits> => {
  if (response.kind !== 'found') return response;
  const { data } = response;
  if (exAddress !== null && namesAnother(data.hl_address, exAddress)) return unreadable('the limits of another wallet');
  const [portfolioUsd, tier] = [limitOf(data.max_portfolio_usd), numberOf(data.tier)];
  if (portfolioUsd === null) return unreadable('no limits in the response');
  return found({
    tier: Number.isInteger(tier) ? tier : null,
    accountSize: sizeOf(data.account_size),
    portfolioMultiple: limitOf(data.portfolio_multiplier),
    portfolioUsd,
    perPairUsd: limitOf(data.max_position_per_pair_usd),
    classUsd: readMultiples(data.max_asset_class_usd),
    pairLeverage: readMultiples(data.positional_leverage) ?? {},
  });
};
