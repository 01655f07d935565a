import type { TradePair } from '../../adapters/netvenue/types.ts';
import { compare, dividedBy, times } from '../../kernel/decimals.ts';
import { Refusal } from '../../kernel/refusals.ts';
import type { VenueReads } from '../reads.ts';
import { dexOf } from '../rules.ts';
import { leastOf, type TradeFacts, valuePerUnit } from './rules.ts';
import type { Trade } from './trade.ts';

const PLACES = 8;

/** An order's worth in USD, and how much of its pair it is where that can be told. */
export type Amounts = { value: string; quantity: string | null };

/** What the order is worth and how much of the pair it is. A size in USD needs no price; refuses where another has none. */
export async function amountsOf(reads: VenueReads, pair: TradePair, trade: Trade): Promise<Amounts> {
  const unit = valuePerUnit(pair, trade.price ?? (await midOf(reads, pair)));
  if (trade.sizeInUsd) {
    const quantity = unit === null || compare(unit, '0') === 0 ? null : dividedBy(trade.size, unit, PLACES, 'down');
    return { value: trade.size, quantity };
  }
  if (unit === null) {
    throw new Refusal('V1_NO_PRICE', {
      message: 'No price is known for this pair; give its price, or its size in USD.',
    });
  }
  return { value: times(trade.size, unit), quantity: trade.size };
}

/** The exchange's mid of a pair it lists too; the network itself publishes no prices. */
async function midOf(reads: VenueReads, { exCoin }: TradePair): Promise<string | null> {
  if (exCoin === null) return null;
  const mids = await reads.mids(dexOf(exCoin));
  return mids.kind === 'found' ? (mids.said[exCoin] ?? null) : null;
}

/** How an order stands to the least its pair may be traded in; null where that cannot be told. */
export function minimumOf(
  { category }: TradePair,
  { value, quantity }: Amounts,
  accountSize: number,
): TradeFacts['minimum'] {
  const { least, unit } = leastOf(category, accountSize);
  const actual = unit === 'USD' ? value : quantity;
  return actual === null ? null : { actual, least, unit };
}
