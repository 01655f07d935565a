import { compare, dividedBy, ofNumber, times } from '../../../kernel/decimals.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import type { DashboardOrder, TradePair } from '../../../venues/network/adapter/types.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { leastOf, type TradeFacts, valuePerUnit } from './rules.ts';
import type { Trade } from './trade.ts';

const PLACES = 8;

/** The value of an order in USD, and its quantity. Null for what is unknown without a price. */
export type Amounts = { value: string | null; quantity: string | null };

/**
 * The value and quantity of an order. A size in USD needs no price. Any other is valued by the order's price, else by
 * the exchange's price, else by `shown`: the network's orders whose unit has the same value, read one after the other
 * until one has a value.
 */
export async function amountsOf(
  reads: VenueReads,
  pair: TradePair,
  trade: Trade,
  shown: (() => Promise<Sized[]>)[],
): Promise<Amounts> {
  let unit = valuePerUnit(pair, trade.price ?? (await midOf(reads, pair)));
  for (const orders of shown) unit ??= unitShown(await orders());
  if (trade.sizeInUsd) {
    const quantity = unit === null || compare(unit, '0') === 0 ? null : dividedBy(trade.size, unit, PLACES, 'down');
    return { value: trade.size, quantity };
  }
  return { value: unit === null ? null : times(trade.size, unit), quantity: trade.size };
}

/** An order or position in a pair as the network shows it. */
export type Sized = Pick<DashboardOrder, 'value' | 'quantity' | 'processedMs'>;

/** The value in USD of one unit, by the newest order that the network shows with both of its sizes; null without one. */
function unitShown(shown: Sized[]): string | null {
  const sized = shown.filter(({ value, quantity }) => value && quantity);
  const newest = sized.toSorted((a, b) => (b.processedMs ?? 0) - (a.processedMs ?? 0))[0];
  return newest ? ofNumber(Math.abs(Number(newest.value) / Number(newest.quantity)), PLACES) : null;
}

/** The exchange's mid price of a pair, or null. The network lists no prices. */
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
