import { ofNumber, roundedTo, times } from '../../kernel/decimals.ts';

/** Whole cents of an amount in USD from the network, rounded down: fractions of a cent are not paid. */
export const centsOf = (usd: number): number => Number(roundedTo(times(ofNumber(usd), '100'), 0, 'down'));

/**
 * The region within which the processor pays accounts of another country than the platform's: the United States, the
 * United Kingdom, the European Economic Area, Canada and Switzerland (docs.stripe.com/connect/cross-border-payouts).
 */
const REGION = new Set(
  'US GB CA CH AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
);

/** How an account of a country is paid by a platform of another or the same one; null: it cannot be paid. */
export function corridorOf(country: string, platform: string): 'domestic' | 'abroad' | null {
  if (country === platform) return 'domestic';
  return REGION.has(country) && REGION.has(platform) ? 'abroad' : null;
}
