import { z } from 'zod';
import { defineIntent, isNotReady } from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { cloidOf } from '../../../kernel/exchange-names.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import type { OrderChecks } from '../../checks.ts';
import type { Action, OrderTerms } from '../adapter/action-types.ts';
import { sign } from '../signing/sign.ts';
import { sizeOrder } from '../sizing.ts';
import { type ExchangeDeps, exchangeTiming, recordOtherwise, walletMembers } from './calls.ts';
import { cancelNext } from './cancel.ts';
import { exitOrders } from './exits.ts';
import { type Market, readMarket } from './market.ts';
import { invalidOrder, orderPayload, payloadOf, reconcileOrder, reportOf, sendOrder } from './order.ts';
import { terms } from './results.ts';
import { type ExchangeTerms, misplacedExit } from './rules.ts';
import { recordPlacement } from './store.ts';
import { shownOrder } from './views.ts';

type Deps = ExchangeDeps & { checks: Pick<OrderChecks, 'findExchangeViolation'> };

/** Places one order with its exits. If the order has a leverage, that is set first. */
export const place = defineIntent({
  kind: 'exchange/place',
  retention: 'with_order',
  claimed: 'to_send',
  isExit: ({ terms }) => terms.reduce_only,
  request: z.object({ ...walletMembers, terms }),
  payload: z.object(orderPayload),
  timing: exchangeTiming,

  async prepare({ id, owner, request: { wallet, terms } }, deps: Deps) {
    const [market, violation] = await Promise.all([
      readMarket(deps.exvenue, terms.pair, terms.order_type === 'limit' ? terms.price : null),
      terms.reduce_only ? null : deps.checks.findExchangeViolation(owner, wallet),
    ]);
    if (violation) return { fail: violation };
    if (isNotReady(market)) return market;
    const placed = ordersOf(id, terms, market);
    if (isNotReady(placed)) return placed;
    const { order, exits } = placed;
    const grouping = exits.length > 0 ? 'with_exits' : 'none';
    const placement: Action = { kind: 'place', orders: [order, ...exits], grouping };
    const signed = await sign(deps, { owner, wallet }, [...leverageActions(market, terms), placement]);
    if (isNotReady(signed)) return signed;
    return { send: payloadOf(signed, { intentId: id, coin: market.asset.coin, order }) };
  },

  send: sendOrder,

  reconcile: reconcileOrder,

  async record({ intent, payload }, result, deps) {
    if (result.kind !== 'accepted') return recordOtherwise(deps, intent, result);
    const { wallet, terms } = intent.request;
    const { order } = result.data;
    const report = reportOf(result.data, payload, terms);
    const ended =
      order.kind === 'resting' ? cancelNext(intent, { wallet, oids: [order.oid], coin: payload.coin }) : null;
    return recordPlacement(deps.db, intent, shownOrder(intent, terms, report), report, ended);
  },
});

/** The order and its exits with all amounts on the asset's grid, or the reason why it cannot be placed. */
function ordersOf(
  intentId: IntentId,
  terms: ExchangeTerms,
  { asset, mid }: Market,
): { order: OrderTerms; exits: OrderTerms[] } | { fail: Problem } {
  const isMarket = terms.order_type === 'market';
  const sized = sizeOrder(asset, mid, {
    side: terms.side,
    size: terms.size,
    sizeInUsd: terms.size_in_usd,
    price: isMarket ? null : (terms.price ?? '0'),
    maxSlippage: terms.max_slippage,
    reduceOnly: terms.reduce_only,
  });
  if ('fault' in sized) return invalidOrder(sized.fault);
  if (sized.isBelowMinimum) return invalidOrder('below_minimum');
  const { side, price, size } = sized;
  const misplaced = misplacedExit(terms, terms.side, mid);
  if (misplaced) return { fail: { code: 'V1_PRICES_INVALID', message: misplaced } };
  const exits = exitOrders(intentId, terms, { asset, position: terms.side, size });
  if (isNotReady(exits)) return exits;
  const timeInForce = isMarket ? 'ioc' : terms.time_in_force;
  const order = {
    asset: asset.id,
    side,
    price,
    size,
    reduceOnly: terms.reduce_only,
    cloid: cloidOf(intentId),
    timeInForce,
  };
  return { order, exits };
}

/** Without a choice of the caller the margin is cross, where the asset allows it. */
const leverageActions = ({ asset }: Market, { leverage, is_cross }: ExchangeTerms): Action[] =>
  leverage === null
    ? []
    : [{ kind: 'set_leverage', asset: asset.id, leverage, isCross: is_cross ?? !asset.onlyIsolated }];
