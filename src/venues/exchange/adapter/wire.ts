import { canonical } from '../../../kernel/decimals.ts';
import type { Action, OrderTerms, TimeInForce } from './action-types.ts';

/** An action as it is hashed and posted. The order of its members is part of the signed data. */
export type WireAction = Record<string, unknown>;

/** Maximum items per action. See venues/exchange.md#batches. */
export const BATCH_LIMIT = 200;

const TIF = { gtc: 'Gtc', ioc: 'Ioc', alo: 'Alo' } as const satisfies Record<TimeInForce, string>;
const GROUPING = { none: 'na', with_exits: 'normalTpsl', on_position: 'positionTpsl' } as const;

/**
 * Converts an action to the venue's format: members in signing order, decimals without trailing zeros, cloids in lower
 * case. See venues/exchange.md#actions.
 */
export const wireAction = (action: Action): WireAction => {
  switch (action.kind) {
    case 'place':
      return { type: 'order', orders: action.orders.map(wireOrder), grouping: GROUPING[action.grouping] };
    case 'cancel':
      return { type: 'cancel', cancels: action.orders.map(({ asset, oid }) => ({ a: asset, o: oid })) };
    case 'cancel_by_cloid':
      return {
        type: 'cancelByCloid',
        cancels: action.orders.map(({ asset, cloid }) => ({ asset, cloid: cloid.toLowerCase() })),
      };
    case 'replace':
      return {
        type: 'batchModify',
        modifies: action.orders.map(({ target, order }) => ({ oid: wireName(target), order: wireOrder(order) })),
      };
    case 'set_leverage':
      return { type: 'updateLeverage', asset: action.asset, isCross: action.isCross, leverage: action.leverage };
    case 'noop':
      return { type: 'noop' };
  }
};

const wireOrder = (order: OrderTerms) => ({
  a: order.asset,
  b: order.side === 'buy',
  p: canonical(order.price),
  s: canonical(order.size),
  r: order.reduceOnly,
  t: wireTerms(order),
  ...(order.cloid !== undefined && { c: order.cloid.toLowerCase() }),
});

const wireTerms = (order: OrderTerms) => {
  if (!('trigger' in order)) return { limit: { tif: TIF[order.timeInForce] } };
  const { isMarket, price, kind } = order.trigger;
  return { trigger: { isMarket, triggerPx: canonical(price), tpsl: kind } };
};

const wireName = (name: number | string) => (typeof name === 'string' ? name.toLowerCase() : name);
