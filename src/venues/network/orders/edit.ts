import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { defineIntent, objectWith } from '../../../intents/define.ts';
import { type Hotkey, idSchema, type OwnerId } from '../../../kernel/ids.ts';
import type { UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { OrderChecks } from '../../checks.ts';
import { listHandles } from '../../queries.ts';
import * as network from './calls.ts';
import { CLOSE_IN_FLIGHT } from './close-style.ts';
import { type Edit, findEdited, resolveEdit, WITHOUT_TERMS } from './edited.ts';
import { withEffect } from './effects.ts';
import type { Done } from './outcome.ts';
import { wholeOrder } from './place.ts';
import { getReadiness, getTarget } from './queries.ts';
import {
  carriesExits,
  editedTerms,
  findInconsistency,
  findMisplaced,
  isOver,
  NO_PROTECTION,
  protectionWhenAccepted,
  type Terms,
} from './rules.ts';
import { recordEdit } from './store.ts';
import { locate, recordUnlessTargetInDoubt, unlessTargetEnded } from './target.ts';
import { isTriggered } from './venue-records.ts';

const changes = objectWith<components['schemas']['VantaEditOrderRequest']>({ trade_pair: z.string() });

/**
 * Changes a resting order. The changes are merged into its current terms when the intent is executed, in order of
 * submission.
 */
export const edit = defineIntent({
  kind: 'network/edit',
  retention: 'alone',
  claimed: 'to_send',
  request: z.object({ ...network.traderMembers, target: idSchema.order, changes }),
  payload: z.object({
    signal: network.signal,
    target: idSchema.order,
    name: idSchema.order.optional(),
    before: network.terms,
    terms: network.terms,
  }),
  timing: network.timing,
  slot: network.slotOfEntry,

  async prepare({ owner, request }, deps: network.Deps & { checks: Pick<OrderChecks, 'isTradeable'> }) {
    const { db } = deps;
    const { target, subaccount_id } = request;
    const order = await getTarget(db, target);
    if (isOver(order)) return { fail: { code: 'V1_ORDER_NOT_RESTING' } };
    const otherType = findOtherType(order.terms, request.changes);
    if (otherType) return { fail: { code: 'V1_EDIT_INVALID', message: otherType } };
    const [located, { isClosing }] = await Promise.all([
      locate(deps, request.trader, { id: target, ...order }),
      getReadiness(db, request.trader),
    ]);
    if (typeof located !== 'string') return located;
    const [handle = order.handle] = located.split(','); // not shown: the venue decides
    const edited = editedTerms(order.terms, request.changes);
    const fault =
      findInconsistency(edited) ?? findMisplaced(order.terms, request.changes) ?? findLate(handle, request.changes);
    if (fault) return { fail: { code: 'V1_EDIT_INVALID', message: fault } };
    if (request.prop_account_id && !(await deps.checks.isTradeable(request.prop_account_id)))
      return { fail: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
    if (isClosing && carriesExits(edited)) return { wait: CLOSE_IN_FLIGHT };
    const atVenue = isTriggered(handle) ? asTriggered(edited) : edited;
    const whole = {
      ...wholeOrder(await withHandles(db, { owner, trader: request.trader }, atVenue)),
      execution_type: 'LIMIT_EDIT' as const,
    };
    return {
      send: {
        signal: { ...whole, order_uuid: handle, subaccount_id },
        target,
        name: order.name,
        before: order.terms,
        terms: edited,
      },
    };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const edited = editOf(sent.payload);
    const result = await network.sendSignal(sent, deps, limits, (at, refusal) => resolveEdit(at, edited, refusal));
    if (result.kind !== 'accepted' || result.data.lifecycle) return result;
    return withEffect(await network.atMiner(sent.intent, deps), edited.subject, result.data);
  },

  reconcile: (sent, deps) =>
    network.reconcileAt(sent, deps, async (at) =>
      unlessTargetEnded(deps, sent.payload.target, await findEdited(at, editOf(sent.payload)), WITHOUT_TERMS),
    ),

  async record({ intent, payload }, result, deps) {
    const { target, name = target } = payload;
    if (result.kind !== 'accepted') return recordUnlessTargetInDoubt(deps, intent, target, result);
    const { lifecycle = 'resting', ...data } = network.unlessWaiting(result.data);
    const isCancelled = lifecycle === 'cancelled';
    const protection = isCancelled ? NO_PROTECTION : protectionWhenAccepted(payload.terms);
    const shown = network.resultOf(name, { ...data, lifecycle }, protection);
    network.alertIfUnprotected(deps, intent, shown);
    return recordEdit(deps.db, intent, { result: { ...shown, success: !isCancelled }, lifecycle }, payload);
  },
});

const editOf = ({ signal, before, terms }: { signal: Edit['signal']; before: Terms; terms: Terms }): Edit => ({
  signal,
  before,
  subject: { uuid: signal.order_uuid, pair: terms.trade_pair, exits: terms },
});

/** The terms of a stop-limit that was triggered: those of the limit order it has become. */
const asTriggered = ({ stop_price: _, stop_condition: __, ...terms }: Terms): Terms => terms;

/** Why an edit names a type that the order does not have, or null. */
const findOtherType = (terms: Terms, { execution_type = 'LIMIT_EDIT' }: z.infer<typeof changes>): string | null =>
  execution_type === 'LIMIT_EDIT' || execution_type === terms.execution_type
    ? null
    : `The execution_type of an order cannot change; this one is ${terms.execution_type}.`;

/** Why an edit comes too late, or null. */
const findLate = (handle: string, { stop_price, stop_condition }: z.infer<typeof changes>): string | null =>
  isTriggered(handle) && (stop_price !== undefined || stop_condition !== undefined)
    ? 'The order was triggered; its stop_price cannot change any more.'
    : null;

/** The terms with the venue's ids of brackets that the caller names. One that is not an order of the trader here keeps its name. */
async function withHandles(
  db: Db,
  of: { owner: OwnerId; trader: Hotkey },
  { bracket_orders, ...terms }: Terms,
): Promise<Terms> {
  if (bracket_orders === undefined) return terms;
  const handles = await listHandles(
    db,
    of,
    bracket_orders.flatMap(({ order_uuid }) => order_uuid ?? []),
  );
  return {
    ...terms,
    bracket_orders: bracket_orders.map((entry) => {
      const handle = entry.order_uuid && handles.get(entry.order_uuid.toLowerCase());
      return handle === undefined ? entry : { ...entry, order_uuid: handle };
    }),
  };
}
