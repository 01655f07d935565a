import { z } from 'zod';
import { defineIntent, isNotReady } from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { succeed } from '../../../intents/settle.ts';
import { absolute, isPositive } from '../../../kernel/decimals.ts';
import { cloidOf } from '../../../kernel/exchange-names.ts';
import { marketPrice, type Side } from '../../../kernel/grid.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import type { OrderTerms } from '../adapter/action-types.ts';
import type { PerpPosition } from '../adapter/types.ts';
import { sign } from '../signing/sign.ts';
import { type ExchangeDeps, exchangeTiming, recordOtherwise, walletMembers } from './calls.ts';
import { type Market, readMarket, readPosition, URGENT } from './market.ts';
import { invalidOrder, orderPayload, payloadOf, reconcileOrder, reportOf, sendOrder } from './order.ts';
import { decideExits } from './store.ts';
import { closingTerms, shownOrder } from './views.ts';

/**
 * Closes the position that is open in a pair when the intent is executed, with a reduce-only market order. Its exits end
 * with it.
 */
export const close = defineIntent({
  kind: 'exchange/close',
  retention: 'alone',
  request: z.object({ ...walletMembers, pair: z.string(), max_slippage: z.string() }),
  payload: z.object({ ...orderPayload, side: z.enum(['long', 'short']) }),
  timing: exchangeTiming,

  async prepare({ id, owner, request: { wallet, pair, max_slippage } }, deps: ExchangeDeps) {
    const market = await readMarket(deps.exvenue, pair, null, URGENT);
    if (isNotReady(market)) return market;
    const position = await readPosition(deps, wallet, pair);
    if (isNotReady(position)) return position;
    const order = closingOrder(id, position, market, max_slippage);
    if (isNotReady(order)) return order;
    const signed = await sign(deps, { owner, wallet }, [{ kind: 'place', orders: [order], grouping: 'none' }]);
    if (isNotReady(signed)) return signed;
    const side = order.side === 'sell' ? ('short' as const) : ('long' as const);
    return { send: { ...payloadOf(signed, { intentId: id, coin: market.asset.coin, order }), side } };
  },

  send: sendOrder,

  reconcile: reconcileOrder,

  async record({ intent, payload }, result, deps) {
    if (result.kind !== 'accepted') return recordOtherwise(deps, intent, result);
    const { wallet, pair } = intent.request;
    const terms = closingTerms(pair, payload.side);
    const report = reportOf(result.data, payload, terms);
    if (report.status === 'filled') await decideExits(deps.db, { id: intent.id, wallet, pair }, { tp: null, sl: null });
    return succeed(deps.db, intent, shownOrder(intent, terms, report));
  },
});

/** The reduce-only order that closes a whole position. The venue reports the size of a short position as negative. */
function closingOrder(
  intentId: IntentId,
  { size }: PerpPosition,
  { asset, mid }: Market,
  slippage: string,
): OrderTerms | { fail: Problem } {
  const side: Side = isPositive(size) ? 'sell' : 'buy';
  const price = marketPrice(asset.grid, side, mid, slippage);
  if (price === null) return invalidOrder('invalid_price');
  return {
    asset: asset.id,
    side,
    price,
    size: absolute(size),
    reduceOnly: true,
    cloid: cloidOf(intentId),
    timeInForce: 'ioc',
  };
}
