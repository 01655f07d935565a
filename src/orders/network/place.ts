import { z } from 'zod';
import { noteSubaccountStatus } from '../../accounts/commands.ts';
import type { Signal } from '../../adapters/network/types.ts';
import { defineIntent } from '../../intents/define.ts';
import type { Hotkey, OrderUuid } from '../../kernel/ids.ts';
import type { VenueReads } from '../../portfolio/read-model.ts';
import { findNetworkViolation } from '../../portfolio/trades/read-model.ts';
import { isTradeable } from '../../trading/queries.ts';
import { findPlaced } from './evidence.ts';
import { getSubaccountStatus } from './queries.ts';
import { rests, type Terms } from './rules.ts';
import { recordPlacement } from './store.ts';
import * as network from './verb.ts';

type Deps = network.Deps & { reads: VenueReads };

/** Places one order. `executed` in the result is what the network executed: it reduces an order that exceeds a cap. */
export const place = defineIntent({
  kind: 'orders/place',
  retention: 'with_order',
  request: z.object({ ...network.traderMembers, terms: network.terms }),
  payload: z.object({ signal: network.signal }),
  timing: network.timing,

  async prepare({ id, request }, { db, venues, reads }: Deps) {
    const [activated, violation] = await Promise.all([
      isActivated(request.trader, { db, venues }),
      findNetworkViolation(reads, request.trader, request.terms),
    ]);
    if (!activated) return { wait: { code: 'V1_TRADER_NOT_READY' } };
    if (violation) return { fail: violation };
    if (request.prop_account_id && !(await isTradeable(db, request.prop_account_id)))
      return { fail: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
    return { send: { signal: placementSignal(id, request.subaccount_id, request.terms) } };
  },

  send: network.sendSignal,

  reconcile: (sent, deps) => network.reconcileAt(sent, deps, (at) => findPlaced(at, sent.payload.signal.order_uuid)),

  async record({ intent }, result, deps) {
    if (result.kind !== 'accepted') return network.recordOtherwise(deps, intent, result);
    const resting = rests(intent.request.terms);
    const data = resting ? network.unlessWaiting(result.data) : result.data;
    const lifecycle = resting ? 'resting' : 'filled';
    return recordPlacement(deps.db, intent, network.resultOf(intent.id, data), { lifecycle, executed: data.executed });
  },
});

/**
 * Whether a subaccount accepts orders. A new one is pending until its collateral is burnt; the venue rejects its orders
 * until then.
 */
async function isActivated(trader: Hotkey, { db, venues }: Pick<Deps, 'db' | 'venues'>): Promise<boolean> {
  if ((await getSubaccountStatus(db, trader)) !== 'pending') return true;
  const dashboard = await venues.netvenue.dashboard(trader);
  if (dashboard.kind !== 'found' || dashboard.data.status === 'pending') return false;
  await noteSubaccountStatus(db, trader, dashboard.data.status);
  return true;
}

/** The signal that places an order with the given uuid. */
export const placementSignal = (orderUuid: OrderUuid, subaccountId: number, order: Terms): Signal => ({
  ...wholeOrder(order),
  execution_type: order.execution_type,
  order_uuid: orderUuid,
  subaccount_id: subaccountId,
});

/** The members of an order on the wire. The network always requires the whole order. */
export const wholeOrder = ({ execution_type: _, ...members }: Terms) =>
  members as Omit<Signal, 'execution_type' | 'order_uuid' | 'subaccount_id'>; // as: contract and wire use the same names
