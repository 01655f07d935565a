import type { TradePair } from '../../adapters/network/types.ts';
import { compare, dividedBy, times } from '../../kernel/decimals.ts';
import { ApiError } from '../../kernel/errors.ts';
import { dexOf } from '../../kernel/exchange-names.ts';
import type { VenueReads } from '../read-model.ts';
import { leastOf, type TradeFacts, valuePerUnit } from './rules.ts';
import type { Trade } from './trade.ts';

const PLACES = 8;

/** The value of an order in USD, and its quantity; null if that is unknown. */
export type Amounts = { value: string; quantity: string | null };

/**
 * The value and quantity of an order. A size in USD needs no price; for any other size throws V1_NO_PRICE without one.
 */
export async function amountsOf(reads: VenueReads, pair: TradePair, trade: Trade): Promise<Amounts> {
  const unit = valuePerUnit(pair, trade.price ?? (await midOf(reads, pair)));
  if (trade.sizeInUsd) {
    const quantity = unit === null || compare(unit, '0') === 0 ? null : dividedBy(trade.size, unit, PLACES, 'down');
    return { value: trade.size, quantity };
  }
  if (unit === null) {
    throw new ApiError('V1_NO_PRICE', {
      message: 'No price is known for this pair; give its price, or its size in USD.',
    });
  }
  return { value: times(trade.size, unit), quantity: trade.size };
}

/** The exchange's mid price of a pair, or null. The network publishes no prices. */
async function midOf(reads: VenueReads, { exCoin }: TradePair): Promise<string | null> {
  if (exCoin === null) return null;
  const mids = await reads.mids(dexOf(exCoin));
  return mids.kind === 'found' ? (mids.data[exCoin] ?? null) : null;
}

/** The order's amount and the minimum of its pair, in the same unit; null if the amount is unknown. */
export function minimumOf(
  { category }: TradePair,
  { value, quantity }: Amounts,
  accountSize: number,
): TradeFacts['minimum'] {
  const { least, unit } = leastOf(category, accountSize);
  const actual = unit === 'USD' ? value : quantity;
  return actual === null ? null : { actual, least, unit };
}
