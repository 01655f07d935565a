import { compare, dividedBy, ofNumber, times } from '../../../kernel/decimals.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import type { VenueReads } from '../../reads.ts';
import type { Trade, TradeFacts } from '../../trade.ts';
import type { DashboardOrder, TradePair } from '../adapter/types.ts';

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

/** Base units of one currency lot. See venues/network-validator.md#lots-and-minimum. */
const LOT = '100000';

/** The value in USD of one unit of a network pair; null if it depends on an unknown price. */
export function valuePerUnit(pair: { tradePair: string; category: string }, price: string | null): string | null {
  if (pair.category !== 'forex') return price;
  if (pair.tradePair.startsWith('USD')) return LOT;
  return price !== null && pair.tradePair.endsWith('USD') ? times(price, LOT) : null;
}

/** The minimum position in a network pair. See venues/network-validator.md#lots-and-minimum. */
export function leastOf(category: string, accountSize: number): { least: string; unit: 'lots' | 'shares' | 'USD' } {
  if (category === 'forex') return { least: accountSize <= SMALL_ACCOUNT_USD ? '0.0001' : '0.01', unit: 'lots' };
  return category === 'equities' ? { least: '0.01', unit: 'shares' } : { least: '10', unit: 'USD' };
}

const SMALL_ACCOUNT_USD = 10_000;
