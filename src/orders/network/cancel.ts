import { z } from 'zod';
import type { DashboardOrder, Signal, SignalAccepted } from '../../adapters/network/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { accepted, recordedRejection, unknownEffect } from '../../kernel/upstream-result.ts';
import { ABSENT, nothingExecuted } from './evidence.ts';
import { getTarget } from './queries.ts';
import { isOver } from './rules.ts';
import { recordCancellation } from './store.ts';
import { recordUnlessTargetInDoubt } from './target.ts';
import * as network from './verb.ts';

/** Cancels a resting order. */
export const cancel = defineIntent({
  kind: 'orders/cancel',
  retention: 'alone',
  request: z.object({ ...network.traderMembers, target: z.string() }),
  payload: z.object({ signal: network.signal, target: z.string() }),
  timing: network.timing,

  async prepare({ request: { target, subaccount_id } }, { db }: network.Deps) {
    const { handle, terms, ...order } = await getTarget(db, target);
    if (isOver(order)) return { fail: { code: 'V1_ORDER_NOT_RESTING' } };
    const { trade_pair } = terms;
    const signal: Signal = { execution_type: 'LIMIT_CANCEL', order_uuid: handle, subaccount_id, trade_pair };
    return { send: { signal, target } };
  },

  send: network.sendSignal,

  reconcile: (sent, deps) => network.reconcileAt(sent, deps, (at) => findCancelled(at, sent.payload.signal.order_uuid)),

  async record({ intent, payload: { target } }, result, deps) {
    if (result.kind !== 'accepted') return recordUnlessTargetInDoubt(deps, intent, target, result);
    return recordCancellation(deps.db, intent, target, network.resultOf(target, network.unlessWaiting(result.data)));
  },
});

/** Finds whether an order is still resting, cancelled or filled. */
async function findCancelled({ venue, trader }: network.AtMiner, target: string): Promise<Finding<SignalAccepted>> {
  const book = await venue.orders(trader);
  if (book.kind !== 'found') return unknownEffect('the book could not be read');
  const isIn = (orders: DashboardOrder[]) => orders.some(({ uuid }) => uuid === target);
  if (isIn(book.data.cancelled)) return accepted(nothingExecuted);
  if (isIn(book.data.filled)) return recordedRejection(FILLED);
  return ABSENT;
}

const FILLED = { slug: 'order_filled', message: 'The order was filled before it could be cancelled.' };
