/**
 * One pair of the registry. `lot`: base units per quantity of 1. `usdPerQuote`: value of one unit of the quote in USD.
 */
export type Pair = {
  id: string;
  display: string;
  category: 'crypto' | 'forex' | 'indices' | 'equities' | 'commodities';
  source: 'vanta' | 'hyperliquid';
  state: 'allowed' | 'deprecated' | 'disabled';
  maxLeverage: number;
  coin: string | null;
  price: number;
  lot: number;
  usdPerQuote: number;
};

/**
 * A representative part of the venue's registry with the leverage caps of tier 1 and invented prices.
 * See venues/network-validator.md#pairs.
 */
export const registry = (): Map<string, Pair> => new Map(rows.map((pair) => [pair.id, { ...pair }]));

/**
 * Whether a position is below the minimum: a quantity (forex, equities) or a value in USD (others). See venues/network-validator.md#lots-and-minimum.
 */
export const isBelowMinimum = (pair: Pair, quantity: number, valueUsd: number, accountSize: number): boolean => {
  if (pair.category === 'forex') return quantity < (accountSize <= 10_000 ? 0.0001 : 0.01);
  return pair.category === 'equities' ? quantity < 0.01 : valueUsd < 10;
};

/**
 * Whether accounts of a class may trade a pair. Linked accounts trade the exchange's pairs, others the pairs of their
 * class.
 */
export const isOpenTo = (pair: Pair, assetClass: string): boolean =>
  assetClass === 'all_markets' ||
  (assetClass === 'hl_all' ? pair.source === 'hyperliquid' : pair.category === assetClass);

const coin = (name: string, price: number, maxLeverage: number): Pair => listed(name, 'crypto', price, maxLeverage);

/** A pair that the linked exchange lists, quoted in USDC. */
const listed = (name: string, category: Pair['category'], price: number, maxLeverage: number): Pair => ({
  id: `${name}USDC`,
  display: `${name}/USDC`,
  category,
  source: 'hyperliquid',
  state: 'allowed',
  maxLeverage,
  coin: category === 'crypto' ? name : `xyz:${name}`,
  price,
  lot: 1,
  usdPerQuote: 1,
});

/** A currency pair: one lot is 100,000 units of the base. */
const currencies = (base: string, quote: string, price: number, maxLeverage: number, usdPerQuote = 1): Pair => ({
  id: base + quote,
  display: `${base}/${quote}`,
  category: 'forex',
  source: 'vanta',
  state: 'allowed',
  maxLeverage,
  coin: null,
  price,
  lot: 100_000,
  usdPerQuote,
});

const share = (ticker: string, price: number): Pair => ({
  ...currencies(ticker, '', price, 0.5),
  display: ticker,
  category: 'equities',
  lot: 1,
});

const rows: readonly Pair[] = [
  coin('BTC', 100_000, 1.5),
  coin('ETH', 4_000, 1.5),
  coin('SOL', 200, 1.5),
  coin('XRP', 2.5, 1.5),
  coin('DOGE', 0.25, 1.5),
  coin('ADA', 0.8, 0.5),
  coin('HYPE', 40, 0.5),
  coin('kPEPE', 0.01, 0.5),
  currencies('EUR', 'USD', 1.1, 10),
  currencies('GBP', 'USD', 1.3, 10),
  currencies('AUD', 'USD', 0.65, 10),
  currencies('EUR', 'GBP', 0.85, 10, 1.3),
  currencies('USD', 'CAD', 1.35, 10, 0.74),
  currencies('USD', 'JPY', 150, 10, 0.0067),
  listed('GOLD', 'commodities', 3_500, 1.5),
  listed('WTIOIL', 'commodities', 70, 1.5),
  listed('SP500', 'indices', 6_500, 2.5),
  listed('XYZ100', 'indices', 24_000, 2.5),
  listed('NVDA', 'equities', 180, 0.5),
  share('AAPL', 230),
  share('MSFT', 500),
  { ...coin('BTC', 100_000, 1.5), id: 'BTCUSD', display: 'BTC/USD', source: 'vanta', coin: null, state: 'deprecated' },
  { ...coin('PAXG', 3_500, 0.5), state: 'disabled' },
];
