import type { components } from '../../contract/types.ts';
import { canonical, isDecimal, ofNumber } from '../../kernel/decimals.ts';

/** An order that is only thought of, its amounts as decimals. `price` is null for a market order. */
export type Trade = {
  pair: string;
  side: 'long' | 'short';
  size: string;
  sizeInUsd: boolean;
  price: string | null;
  leverage: number | null;
};

/** What a request asks to be checked. */
export const tradeOf = (request: components['schemas']['ValidateTradeRequest']): Trade => ({
  pair: request.pair,
  side: request.side,
  size: decimal(request.size),
  sizeInUsd: request.size_in_usd,
  price: request.price === undefined ? null : decimal(request.price),
  leverage: request.leverage ?? null,
});

/** Numbers are taken by their shortest spelling. */
function decimal(amount: number | string): string {
  const text = String(amount);
  return isDecimal(text) ? canonical(text) : ofNumber(Number(amount));
}
