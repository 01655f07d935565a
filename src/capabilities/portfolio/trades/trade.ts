import type { Body } from '../../../contract/body.ts';
import { canonical, isDecimal, ofNumber } from '../../../kernel/decimals.ts';
import type { Trade } from '../../../venues/trade.ts';

/** The trade of a validation request. */
export const tradeOf = (request: Body<'validateTrade'>): Trade => ({
  pair: request.pair,
  side: request.side,
  size: decimal(request.size),
  sizeInUsd: request.size_in_usd,
  price: request.price === undefined ? null : decimal(request.price),
  leverage: request.leverage ?? null,
});

/** Numbers are converted from their shortest decimal form. */
function decimal(amount: number | string): string {
  const text = String(amount);
  return isDecimal(text) ? canonical(text) : ofNumber(Number(amount));
}
