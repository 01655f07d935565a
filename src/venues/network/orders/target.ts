import type { IntentOf, NotReady } from '../../../intents/define.ts';
import { fail } from '../../../intents/settle.ts';
import type { Hotkey, OrderUuid } from '../../../kernel/ids.ts';
import { type UpstreamResult, unknownEffect } from '../../../kernel/upstream-result.ts';
import { type Deps, recordOtherwise } from './calls.ts';
import { ABSENT, type Done, type Found, NO_BOOK } from './outcome.ts';
import { getTarget } from './queries.ts';
import { orderUpdateOf } from './rested.ts';
import { isOpen, type Terms, wasNeverThere } from './rules.ts';
import { recordOrderUpdate } from './store.ts';
import { isTriggered, namesOf, readRecords } from './venue-records.ts';

type Target = { id: OrderUuid; handle: string; terms: Terms; lifecycle: string | null; placement: string };

/**
 * Under which uuid a resting order is at the network now: a triggered stop-limit continues under another one. Not ready: the
 * network shows that it has ended, which is recorded. An order that it does not show is named by all its uuids.
 */
export async function locate({ db, venues }: Deps, trader: Hotkey, target: Target): Promise<string | NotReady> {
  const { id, handle, terms, lifecycle, placement } = target;
  const venue = await venues.ofTrader(trader);
  const noted = venue && orderUpdateOf(await readRecords({ venue, trader }), handle, terms);
  if (!noted) return terms.execution_type === 'STOP_LIMIT' && !isTriggered(handle) ? namesOf(handle).join(',') : handle;
  if (lifecycle === 'resting' && (noted.lifecycle !== 'resting' || noted.handle !== handle))
    await recordOrderUpdate(db, id, terms, noted);
  if (noted.lifecycle === 'resting') return noted.handle;
  const mayBeTriedAgain = noted.lifecycle === 'cancelled' && isOpen(placement);
  return { fail: { code: mayBeTriedAgain ? 'V1_ORDER_IN_DOUBT' : 'V1_ORDER_NOT_RESTING' } };
}

/**
 * The finding about a cancellation whose order is cancelled. While the placement is unsettled, the network may have done that by itself, within its
 * cooldown: then the miner's next attempt fills the order.
 */
export async function unlessTriedAgain({ db }: Pick<Deps, 'db'>, target: OrderUuid, finding: Found): Promise<Found> {
  if (finding.kind !== 'accepted' || finding.data.lifecycle === 'filled') return finding;
  const { placement } = await getTarget(db, target);
  return isOpen(placement) ? unknownEffect('the placement of the order is in doubt') : finding;
}

/**
 * Records any result other than `accepted` of a verb that targets another order. While the placement of that order is
 * unsettled, it may still arrive at the venue, so "not found" proves nothing and the verb fails with V1_ORDER_IN_DOUBT.
 */
export async function recordUnlessTargetInDoubt(
  deps: Deps,
  intent: IntentOf<{ trader: Hotkey }>,
  target: OrderUuid,
  result: Exclude<UpstreamResult<Done>, { kind: 'accepted' }>,
): Promise<boolean> {
  if (result.kind !== 'rejected' || result.slug !== 'order_not_found') return recordOtherwise(deps, intent, result);
  const { placement } = await getTarget(deps.db, target);
  return isOpen(placement)
    ? fail(deps.db, intent, { code: 'V1_ORDER_IN_DOUBT' })
    : recordOtherwise(deps, intent, result);
}

/**
 * The finding about a verb that targets another order, which the network does not show. Of an order that was never placed, our own record proves
 * that nothing was done to it. `ifEnded`: of one that has ended without a trace, as by an elimination, after which the validator may
 * have no book of the trader either.
 */
export async function unlessTargetEnded(
  { db }: Deps,
  target: OrderUuid,
  finding: Found,
  ifEnded: Found,
): Promise<Found> {
  if (finding.kind !== 'unknown' && finding.kind !== 'absent') return finding;
  const order = await getTarget(db, target);
  if (wasNeverThere(order)) return ABSENT;
  const isHidden = finding === NO_BOOK || finding.kind === 'absent';
  return isHidden && (order.lifecycle === 'cancelled' || order.lifecycle === 'ended') ? ifEnded : finding;
}
