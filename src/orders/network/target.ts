import type { SignalAccepted } from '../../adapters/network/types.ts';
import type { IntentOf } from '../../intents/define.ts';
import { fail } from '../../intents/store.ts';
import type { UpstreamResult } from '../../kernel/upstream-result.ts';
import { getTarget } from './queries.ts';
import { isOpen } from './rules.ts';
import { type Deps, recordOtherwise } from './verb.ts';

/**
 * Records any result other than `accepted` of a verb that targets another order. While the placement of that order is
 * unsettled, it may still arrive at the venue, so "not found" proves nothing and the verb fails with V1_ORDER_IN_DOUBT.
 */
export async function recordUnlessTargetInDoubt(
  deps: Deps,
  intent: IntentOf<{ trader: string }>,
  target: string,
  result: Exclude<UpstreamResult<SignalAccepted>, { kind: 'accepted' }>,
): Promise<boolean> {
  if (result.kind !== 'rejected' || result.slug !== 'order_not_found') return recordOtherwise(deps, intent, result);
  const { placement } = await getTarget(deps.db, target);
  return isOpen(placement)
    ? fail(deps.db, intent, { code: 'V1_ORDER_IN_DOUBT' })
    : recordOtherwise(deps, intent, result);
}
