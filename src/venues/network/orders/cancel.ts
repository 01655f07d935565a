import { z } from 'zod';
import { defineIntent } from '../../../intents/define.ts';
import { idSchema } from '../../../kernel/ids.ts';
import {
  accepted,
  acknowledged,
  type Rejected,
  recordedRejection,
  type UpstreamResult,
} from '../../../kernel/upstream-result.ts';
import type { Signal } from '../adapter/signal-types.ts';
import * as network from './calls.ts';
import { ABSENT, type AtMiner, type Done, type Found, NO_BOOK, nothingExecuted, onceEnded, UNREAD } from './outcome.ts';
import { executedBy, protectionShown } from './protection.ts';
import { getTarget } from './queries.ts';
import { carriesExits, isOver } from './rules.ts';
import { recordCancellation } from './store.ts';
import { locate, recordUnlessTargetInDoubt, unlessTargetEnded, unlessTriedAgain } from './target.ts';
import { canShowOrder, findProven, isShown, readRecords } from './venue-records.ts';
import { exitsAfter } from './wanted.ts';

/** Cancels a resting order. */
export const cancel = defineIntent({
  kind: 'network/cancel',
  retention: 'alone',
  claimed: 'to_send',
  isExit: true,
  request: z.object({ ...network.traderMembers, target: idSchema.order }),
  payload: z.object({
    signal: network.signal,
    target: idSchema.order,
    name: idSchema.order.optional(),
    terms: network.terms,
  }),
  timing: network.timing,
  slot: network.slotOfExit,

  async prepare({ request: { target, subaccount_id, trader } }, deps: network.Deps) {
    const order = await getTarget(deps.db, target);
    if (isOver(order)) return { fail: { code: 'V1_ORDER_NOT_RESTING' } };
    const located = await locate(deps, trader, { id: target, ...order });
    if (typeof located !== 'string') return located;
    const { terms, name } = order;
    const common = { subaccount_id, trade_pair: terms.trade_pair };
    const signal: Signal = { execution_type: 'LIMIT_CANCEL', order_uuid: located, ...common };
    return { send: { signal, target, name, terms } };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const { target } = sent.payload;
    const result = await network.sendSignal(sent, deps, limits, (at, refusal) =>
      network.resolveBy(async (place) =>
        unlessTriedAgain(deps, target, await findCancelled(place, sent.payload, refusal.said)),
      )(at, refusal),
    );
    return result.kind === 'accepted' && carriesExits(sent.payload.terms)
      ? acknowledged('the cancellation may have met the exits of a filled order')
      : result;
  },

  reconcile: (sent, deps) =>
    network.reconcileAt(sent, deps, async (at) => {
      const { target } = sent.payload;
      const finding = await unlessTriedAgain(deps, target, await findCancelled(at, sent.payload));
      return unlessTargetEnded(deps, target, finding, ABSENT); // what it cancels is listed
    }),

  async record({ intent, payload: { target, name = target, terms } }, result, deps) {
    if (result.kind !== 'accepted') return recordUnlessTargetInDoubt(deps, intent, target, result);
    const { lifecycle = 'cancelled', ...data } = result.data;
    const shown = network.resultOf(name, { ...network.unlessWaiting(data), lifecycle });
    network.alertIfUnprotected(deps, intent, shown);
    const exits = lifecycle === 'filled' ? exitsAfter(terms, lifecycle, shown.executed) : []; // a position that nobody wanted stays
    return recordCancellation(deps.db, intent, target, { result: shown, lifecycle, exits });
  },
});

/**
 * Finds whether an order is still resting, cancelled or filled. The network cancels every exit whose name begins with the
 * uuid: of an order that was filled first, the cancellation removes the exits, as soon as it arrives. `said`: the venue's
 * rejection, if any.
 */
async function findCancelled(
  at: AtMiner,
  { signal, terms }: { signal: Signal; terms: Parameters<typeof carriesExits>[0] },
  said: Rejected | null = null,
): Promise<Found> {
  const records = await readRecords(at);
  const [first = ''] = signal.order_uuid.split(',');
  const shown = findProven(records, first);
  if (shown === 'unread') return UNREAD;
  if (!canShowOrder(records, said)) return NO_BOOK;
  if (!isShown(shown) || shown.lifecycle === 'resting') return ABSENT;
  if (shown.lifecycle === 'cancelled') return accepted(nothingExecuted);
  if (!carriesExits(terms)) return recordedRejection(FILLED);
  const protection = protectionShown(terms, shown, records, null);
  if (!protection) return UNREAD;
  return protection.state === 'failed'
    ? accepted({
        ...nothingExecuted,
        lifecycle: 'filled',
        executed: shown.order && executedBy(shown.order),
        protection,
        note: EXITS_REMOVED,
      })
    : onceEnded(recordedRejection(FILLED)); // the cancellation may still arrive and remove them
}

const FILLED = { slug: 'order_filled', message: 'The order was filled before it could be cancelled.' };

const EXITS_REMOVED =
  'The order was filled before it could be cancelled, and the cancellation removed its exits; protect the position.';
