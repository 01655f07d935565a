import type { Coin } from './world.ts';

/** A coin to list. Other members have defaults. A name `dex:COIN` is listed on that builder dex. */
export type CoinOption = Pick<Coin, 'name' | 'sizeDecimals' | 'mid'> & Partial<Coin>;

/** The default coins: coarse and fine grids, a delisted coin, an isolated-only coin, a coin of a builder dex. */
export const usualCoins: readonly CoinOption[] = [
  { name: 'SOL', sizeDecimals: 2, mid: '150', maxLeverage: 20 },
  { name: 'BTC', sizeDecimals: 5, mid: '100000', maxLeverage: 40 },
  { name: 'MATIC', sizeDecimals: 1, mid: '0.4', maxLeverage: 20, isDelisted: true },
  { name: 'ETH', sizeDecimals: 4, mid: '3000', maxLeverage: 25 },
  { name: 'DOGE', sizeDecimals: 0, mid: '0.2', maxLeverage: 10 },
  { name: 'kPEPE', sizeDecimals: 0, mid: '0.012', maxLeverage: 10 },
  { name: 'HYPE', sizeDecimals: 2, mid: '40', maxLeverage: 10 },
  { name: 'AVAX', sizeDecimals: 2, mid: '30', maxLeverage: 10 },
  { name: 'LINK', sizeDecimals: 1, mid: '20', maxLeverage: 10 },
  { name: 'PURR', sizeDecimals: 0, mid: '0.15', maxLeverage: 3, onlyIsolated: true },
  { name: 'xyz:TSLA', sizeDecimals: 3, mid: '300', maxLeverage: 10 },
];

/** Numbers the coins by their position in their dex, and the dexes by their first coin. See venues/exchange.md#asset-ids. */
export const listed = (options: readonly CoinOption[]): Coin[] => {
  const dexes = ['', ...new Set(options.map(({ name }) => dexOf(name)).filter((dex) => dex !== ''))];
  return dexes.flatMap((dex, index) =>
    options
      .filter(({ name }) => dexOf(name) === dex)
      .map((option, place) => ({
        maxLeverage: 20,
        onlyIsolated: false,
        isDelisted: false,
        liquidity: null,
        ...option,
        dex,
        id: place + (index === 0 ? 0 : 100_000 + index * 10_000),
      })),
  );
};

const dexOf = (name: string): string => (name.includes(':') ? (name.split(':')[0] ?? '') : '');
