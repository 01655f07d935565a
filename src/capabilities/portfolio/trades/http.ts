import type { Body } from '../../../contract/body.ts';
import type { Handler } from '../../../contract/handler.ts';
import { ofAmount } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type Trade, violationsOf } from '../../../venues/trade.ts';
import type { Venue } from '../../../venues/venue.ts';
import { openPortfolio, type PortfolioDeps, venueOf } from '../portfolio.ts';

/** Checks an order against all rules without sending it. */
export const validateTrade: Handler<'validateTrade', PortfolioDeps> = async (call) => {
  const { facts: factsOf } = await openPortfolio(call);
  checkVenue(venueOf(call), call.body.venue);
  const facts = await factsOf(tradeOf(call.body));
  const violations = violationsOf(facts);
  if (violations.length === 0 && !facts.isPriced)
    throw new ApiError('V1_NO_PRICE', {
      message: 'No price is known for this pair; give its price, or its size in USD.',
      retryable: false,
    });
  return { status: 200, body: { valid: violations.length === 0, violations } };
};

/** Throws INVALID_REQUEST if the request names another venue than the trader's. */
function checkVenue({ id }: Venue, requested: Venue['id'] | undefined): void {
  if (requested === undefined || requested === id) return;
  throw new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['body', 'venue'], msg: `is not the venue of this Trader-ID, ${id}`, type: 'value' }],
  });
}

const tradeOf = (request: Body<'validateTrade'>): Trade => ({
  pair: request.pair,
  side: request.side,
  size: ofAmount(request.size),
  sizeInUsd: request.size_in_usd,
  price: request.price === undefined ? null : ofAmount(request.price),
  leverage: request.leverage ?? null,
});
