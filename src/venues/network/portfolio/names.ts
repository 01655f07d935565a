/** The shown name of a network pair, `BTC-USDC`, `EUR-USD` or `AAPL`, from its wire id or its display form. */
export function shownPair(tradePair: string): string {
  const [base, quote] = tradePair.includes('/') ? tradePair.split('/') : splitWireId(tradePair);
  return quote ? `${base}-${quote}` : String(base);
}

/** Wire ids end with the quote: `BTCUSDC`. Currencies have three letters each. Shares have no quote. */
function splitWireId(id: string): [base: string, quote?: string] {
  const [, base, quote] = /^(.+?)(USDC|USD)$/.exec(id) ?? /^([A-Z]{3})([A-Z]{3})$/.exec(id) ?? [];
  return base && quote ? [base, quote] : [id];
}

/**
 * Whether a caller's name denotes a pair: BTC-USDC, BTC/USDC, BTCUSDC or BTC; also BTCUSD for a coin quoted in USDC.
 * Case-sensitive.
 */
export function namesPair(name: string, tradePair: string): boolean {
  const id = bare(tradePair);
  const requested = bare(name);
  return requested === id || `${requested}USDC` === id || `${requested}C` === id;
}

const bare = (pair: string) => pair.replace(/[^A-Za-z0-9]/g, '');

/**
 * Whether accounts of a class may trade a pair: linked accounts all pairs of the exchange, others those of their
 * category.
 */
export const isOpenTo = (assetClass: string | null, pair: { category: string; source: string | null }): boolean => {
  if (assetClass === null || assetClass === 'all_markets') return true;
  return assetClass === 'hl_all' ? pair.source === 'hyperliquid' : pair.category === assetClass;
};

/** Whether a pair mirrors the exchange: accounts linked to a wallet may trade these alone. */
export const isMirrored = (pair: { category: string; source: string | null }): boolean => isOpenTo('hl_all', pair);
