import { digest, type IntentId, type OrderUuid } from './ids.ts';

/** The exchange's coin for any accepted form of a pair: BTC-USDC, BTC/USD, BTCUSD, BTC. Case-sensitive (kPEPE). */
export const coinOf = (pair: string): string => pair.replace(/(?<=.)[-/_]?USDC?$/, '');

/**
 * Whether a caller's name denotes a spot pair: `@107`, `PURR/USDC`. In the exchange's notation a slash before USDC is
 * always spot; a perpetual of the same coin is another market.
 */
export const isSpotName = (pair: string): boolean => /^@|\/USDC$/.test(pair);

/** The pair of a coin as shown to callers. Names of spot pairs and outcomes are the exchange's own. */
export const displayPair = (coin: string): string => (isPerpetual(coin) ? `${coin}-USDC` : coin);

/**
 * Whether a coin is a perpetual, by its name: `BTC`, `xyz:TSLA`. Spot pairs (`@107`, `PURR/USDC`), outcomes
 * (`#194180`) and kinds of markets that are not known yet have other names. They have no positions.
 */
export const isPerpetual = (coin: string): boolean => /^[a-z0-9][^/@#]*$/i.test(coin);

/** The dex that trades a coin: `xyz` for `xyz:TSLA`; empty for the venue's own dex. */
export const dexOf = (coin: string): string => (coin.includes(':') ? (coin.split(':')[0] ?? '') : '');

/** The exchange's 128-bit client order id of an intent. */
export const cloidOf = (intentId: IntentId): string => `0x${intentId.replaceAll('-', '')}`;

/** The client order id of an exit of an intent's order, by its id. It is deterministic and unique to that order and leg. */
export const legCloid = (intentId: OrderUuid, leg: 'tp' | 'sl'): string =>
  `0x${digest(`${intentId}:${leg}`).toString('hex').slice(0, 32)}`;

/** The inverse of `cloidOf`. For other client order ids the result is not an intent's id. */
export const intentIdOf = (cloid: string): string =>
  cloid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The number of USDC in the exchange's list of tokens. */
export const USDC_TOKEN = 0;
