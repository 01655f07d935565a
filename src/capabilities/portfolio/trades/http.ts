import type { Handler } from '../../../contract/handler.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { getTrader, type Trader, type TraderDeps } from '../traders.ts';
import { readExchangeFacts } from './exchange.ts';
import { readNetworkFacts } from './network.ts';
import { violationsOf } from './rules.ts';
import { tradeOf } from './trade.ts';

type Deps = TraderDeps & { reads: VenueReads };

/** Checks an order against all rules without sending it. */
export const validateTrade: Handler<'validateTrade', Deps> = async (call) => {
  const trader = await getTrader(call);
  checkVenue(trader, call.body.venue);
  const { reads } = call.deps;
  const trade = tradeOf(call.body);
  const facts =
    trader.venue === 'netvenue'
      ? await readNetworkFacts(reads, trader, trade)
      : await readExchangeFacts(reads, trader, trade);
  const violations = violationsOf(facts);
  if (violations.length === 0 && !facts.isPriced)
    throw new ApiError('V1_NO_PRICE', {
      message: 'No price is known for this pair; give its price, or its size in USD.',
    });
  return { status: 200, body: { valid: violations.length === 0, violations } };
};

/** Throws INVALID_REQUEST if the request names another venue than the trader's. */
function checkVenue({ venue }: Trader, requested: Trader['venue'] | undefined): void {
  if (requested === undefined || requested === venue) return;
  throw new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['body', 'venue'], msg: `is not the venue of this Trader-ID, ${venue}`, type: 'value' }],
  });
}
