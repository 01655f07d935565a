import { dexOf, USDC_TOKEN } from '../../../kernel/exchange-names.ts';
import { gridOf } from './amounts.ts';
import { decimalOf, everyOf, fieldsOf, integerOf, positiveOf, type Rows, rowsOf, textOf } from './fields.ts';
import type { Asset, Market } from './types.ts';

/**
 * See venues/exchange.md#asset-ids. Perpetuals count from 0, spot pairs from 10,000, each builder dex from 100,000 × 1 + 10,000 ×
 * n.
 */
const SPOT_BASE = 10_000;
const DEX_BASE = 100_000;
const DEX_STEP = 10_000;

/** A dex and its position in the venue's list. The venue's own dex is `''` at position 0. */
export type Dex = { name: string; index: number };

/**
 * Reads the builder dexes with their positions in the list. The first entry is the venue's own dex; a list without it is another, whose positions
 * would be those of others. See venues/exchange.md#reads.
 */
export const readDexes = (json: unknown): Rows<Dex> | null => {
  const dexes = rowsOf(json, (value, index) => {
    const name = value === null ? '' : textOf(fieldsOf(value)?.name);
    return name === null ? null : { name, index };
  });
  return dexes?.rows[0]?.index === 0 && dexes.rows[0].name === ''
    ? { ...dexes, rows: dexes.rows.filter(({ name }) => name !== '') }
    : null;
};

/** Reads the perpetuals of a dex. The asset id follows from the position in the list. Only a builder dex may have none. See venues/exchange.md#reads. */
export const readPerps =
  ({ name, index }: Dex) =>
  (json: unknown): Rows<Asset> | null => {
    const perps = rowsOf(fieldsOf(json)?.universe, (value, position): Asset | null => {
      const asset = fieldsOf(value);
      const coin = textOf(asset?.name);
      const sizeDecimals = decimalsOf(asset?.szDecimals);
      if (!asset || !coin || dexOf(coin) !== name || sizeDecimals === null) return null;
      return {
        id: position + (index === 0 ? 0 : DEX_BASE + DEX_STEP * index),
        coin,
        kind: 'perp',
        dex: name,
        base: coin.split(':').pop() ?? coin,
        quoteToken: null,
        token: integerOf(fieldsOf(json)?.collateralToken) ?? (index === 0 ? USDC_TOKEN : null),
        sizeDecimals,
        grid: gridOf('perp', sizeDecimals),
        maxLeverage: multipleOf(asset.maxLeverage),
        onlyIsolated: asset.onlyIsolated === true || textOf(asset.marginMode) !== null,
        isDelisted: asset.isDelisted === true,
      };
    });
    return index === 0 && perps?.rows.length === 0 ? null : perps;
  };

/** A maximum leverage, else null. */
const multipleOf = (value: unknown): number | null => {
  const multiple = integerOf(value);
  return multiple !== null && multiple > 0 ? multiple : null;
};

/** Reads the spot pairs. Size decimals are those of the base token. See venues/exchange.md#reads. */
export const readSpots = (json: unknown): Rows<Asset> | null => {
  const tokens = rowsOf(fieldsOf(json)?.tokens, readToken)?.rows;
  return tokens
    ? rowsOf(fieldsOf(json)?.universe, readSpot(new Map(tokens.map((token) => [token.index, token]))))
    : null;
};

/** Reads the assets of a dex with their prices. Both lists use the same positions. See venues/exchange.md#reads. */
export const readMarkets =
  (dex: Dex) =>
  (json: unknown): Market[] | null => {
    if (!Array.isArray(json)) return null;
    const assets = readPerps(dex)(json[0]);
    return assets?.unread.length === 0
      ? everyOf(json[1], (value, position) => readMarket(value, assets.rows[position]))
      : null;
  };

/** Reads mid prices by coin. A coin without a readable price above 0 is left out; nothing else is known then. See venues/exchange.md#reads. */
export const readMids = (json: unknown): Record<string, string> | null => {
  const entries = Object.entries(fieldsOf(json) ?? { '': null });
  const mids = entries.flatMap(([coin, price]) => {
    const mid = positiveOf(price);
    return mid === null ? [] : [[coin, mid] as const];
  });
  return mids.length > 0 || entries.length === 0 ? Object.fromEntries(mids) : null;
};

const MOST_DECIMALS = 18;

/** A number of decimals that a size may have, else null. */
const decimalsOf = (value: unknown): number | null => {
  const decimals = integerOf(value);
  return decimals !== null && decimals >= 0 && decimals <= MOST_DECIMALS ? decimals : null;
};

type Token = { index: number; name: string; sizeDecimals: number };

const readToken = (value: unknown): Token | null => {
  const token = fieldsOf(value);
  const index = integerOf(token?.index);
  const name = textOf(token?.name);
  const sizeDecimals = decimalsOf(token?.szDecimals);
  return index === null || !name || sizeDecimals === null ? null : { index, name, sizeDecimals };
};

const readSpot =
  (tokens: Map<number, Token>) =>
  (value: unknown): Asset | null => {
    const pair = fieldsOf(value);
    const coin = textOf(pair?.name);
    const index = integerOf(pair?.index);
    const [base, quote] = everyOf(pair?.tokens, (token) => tokens.get(Number(token)) ?? null) ?? [];
    if (!coin || index === null || !base || !quote) return null;
    return {
      id: SPOT_BASE + index,
      coin,
      kind: 'spot',
      dex: 'spot',
      base: base.name,
      quoteToken: quote.index,
      token: base.index,
      sizeDecimals: base.sizeDecimals,
      grid: gridOf('spot', base.sizeDecimals),
      maxLeverage: null,
      onlyIsolated: false,
      isDelisted: false,
    };
  };

const readMarket = (value: unknown, asset: Asset | undefined): Market | null => {
  const context = fieldsOf(value);
  const markPrice = decimalOf(context?.markPx);
  const oraclePrice = decimalOf(context?.oraclePx);
  if (!context || !asset || markPrice === null || oraclePrice === null) return null;
  const midPrice = decimalOf(context.midPx);
  return {
    asset,
    markPrice,
    midPrice,
    oraclePrice,
    fundingRate: decimalOf(context.funding),
    openInterest: decimalOf(context.openInterest),
  };
};
