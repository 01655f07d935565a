import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { getTrader, type Trader } from '../traders.ts';
import { readExchangeFacts } from './exchange.ts';
import { readNetworkFacts } from './network.ts';
import { violationsOf } from './rules.ts';
import { tradeOf } from './trade.ts';

export const validateTrade: Handler<'validateTrade'> = async (call) => {
  const trader = await getTrader(call);
  checkVenue(trader, call.body.venue);
  const { reads } = call.runtime;
  const trade = tradeOf(call.body);
  const facts =
    trader.venue === 'netvenue'
      ? await readNetworkFacts(reads, trader, trade)
      : await readExchangeFacts(reads, trader.wallet, trade);
  const violations = violationsOf(facts);
  return { status: 200, body: { valid: violations.length === 0, violations } };
};

/** A venue that is named must be the trader's own. */
function checkVenue({ venue }: Trader, named: Trader['venue'] | undefined): void {
  if (named === undefined || named === venue) return;
  throw new Refusal('INVALID_REQUEST', {
    fields: [{ loc: ['body', 'venue'], msg: `is not the venue of this Trader-ID, ${venue}`, type: 'value' }],
  });
}
