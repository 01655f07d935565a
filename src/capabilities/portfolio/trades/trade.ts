import type { Body } from '../../../contract/body.ts';
import { ofAmount } from '../../../kernel/decimals.ts';
import type { Trade } from '../../../venues/trade.ts';

/** The trade of a validation request. */
export const tradeOf = (request: Body<'validateTrade'>): Trade => ({
  pair: request.pair,
  side: request.side,
  size: ofAmount(request.size),
  sizeInUsd: request.size_in_usd,
  price: request.price === undefined ? null : ofAmount(request.price),
  leverage: request.leverage ?? null,
});
