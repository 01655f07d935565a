/**
 * How many decimals the smallest unit of a currency has at the processor, where it is not two
 * (docs.stripe.com/currencies#zero-decimal, #three-decimal).
 */
export const DECIMALS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ').map((currency) => [currency, 0]),
  ...'bhd jod kwd omr tnd'.split(' ').map((currency) => [currency, 3]),
]);

/**
 * Currencies that the processor counts in hundredths and banks take in whole units only (docs.stripe.com/currencies#special-cases).
 */
const WHOLE_AT_BANKS = new Set(['huf', 'isk', 'twd', 'ugx']);

/** What of an amount can be sent to a bank, both in the smallest unit of the currency. */
export const payableAmount = (amount: number, currency: string): number =>
  WHOLE_AT_BANKS.has(currency) ? amount - (amount % 100) : amount;

/** An amount in the smallest unit of its currency as a decimal number: `-1050` in usd is `-10.50`, in jpy `-1050`. */
export function decimalAmount(amount: number, currency: string): string {
  const decimals = DECIMALS[currency] ?? 2;
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${amount < 0 ? '-' : ''}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ''}`;
}
