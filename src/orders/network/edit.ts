import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { defineIntent } from '../../intents/define.ts';
import { isTradeable } from '../../trading/queries.ts';
import { findEdited } from './evidence.ts';
import { wholeOrder } from './place.ts';
import { getTarget } from './queries.ts';
import { editedTerms, findInconsistency, isOver } from './rules.ts';
import { recordEdit } from './store.ts';
import { recordUnlessTargetInDoubt } from './target.ts';
import * as network from './verb.ts';

const changes = z.custom<components['schemas']['VantaEditOrderRequest']>();

/**
 * Changes a resting order. The changes are merged into its current terms when the intent is executed, in order of
 * submission.
 */
export const edit = defineIntent({
  kind: 'orders/edit',
  retention: 'alone',
  request: z.object({ ...network.traderMembers, target: z.string(), changes }),
  payload: z.object({ signal: network.signal, target: z.string(), before: network.terms, terms: network.terms }),
  timing: network.timing,

  async prepare({ request }, { db }: network.Deps) {
    const { target, subaccount_id } = request;
    const order = await getTarget(db, target);
    if (isOver(order)) return { fail: { code: 'V1_ORDER_NOT_RESTING' } };
    const edited = editedTerms(order.terms, request.changes);
    const fault = findInconsistency(edited);
    if (fault) return { fail: { code: 'V1_EDIT_INVALID', message: fault } };
    if (request.prop_account_id && !(await isTradeable(db, request.prop_account_id)))
      return { fail: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
    const whole = { ...wholeOrder(edited), execution_type: 'LIMIT_EDIT' as const };
    return {
      send: {
        signal: { ...whole, order_uuid: order.handle, subaccount_id },
        target,
        before: order.terms,
        terms: edited,
      },
    };
  },

  send: network.sendSignal,

  reconcile: (sent, deps) =>
    network.reconcileAt(sent, deps, (at) => findEdited(at, sent.payload.signal, sent.payload.before)),

  async record({ intent, payload }, result, deps) {
    const { target } = payload;
    if (result.kind !== 'accepted') return recordUnlessTargetInDoubt(deps, intent, target, result);
    return recordEdit(deps.db, intent, network.resultOf(target, network.unlessWaiting(result.data)), payload);
  },
});
