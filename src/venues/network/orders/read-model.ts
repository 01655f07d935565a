import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { waitMember } from '../../../intents/follow.ts';
import { waitOf } from '../../../intents/waits.ts';
import type { Hotkey, OrderUuid, OwnerId } from '../../../kernel/ids.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import type { Dashboard, OrderBook } from '../adapter/types.ts';
import { findRecordedOrder, listRecordedOrders, type OrderPage, type RecordedOrder } from './queries.ts';
import { noteRested } from './rested.ts';
import { orderStatus } from './views.ts';

export { orderReply, orderResult, type Poll } from './views.ts';

type Status = components['schemas']['NetvenueOrderStatus'];
type OrderStatus = { id: OrderUuid; status: Status };
type Sources = {
  db: Db;
  reads: {
    dashboard(trader: Hotkey): Promise<ReadResult<Dashboard>>;
    networkOrders(trader: Hotkey): Promise<ReadResult<OrderBook>>;
  };
};

/**
 * The status of a trader's order or other verb, with the current lifecycle of a resting order. Null if it is unknown.
 */
export async function readOrderStatus(
  sources: Sources,
  owner: OwnerId,
  trader: Hotkey,
  uuid: OrderUuid,
): Promise<Status | null> {
  const recorded = await findRecordedOrder(sources.db, owner, trader, uuid);
  if (!recorded) return null;
  const [status] = await statusesOf(sources, trader, [recorded]);
  if (!status) return null;
  return recorded.settled_at === null
    ? { ...status.status, ...waitMember({ wait: await waitOf(sources.db, recorded.id) }) }
    : status.status;
}

/** A page of a trader's orders with their ids, newest first. */
export async function readOrderPage(sources: Sources, owner: OwnerId, trader: Hotkey, page: OrderPage) {
  const recorded = await listRecordedOrders(sources.db, owner, trader, page);
  return statusesOf(sources, trader, recorded);
}

/** All open orders of a trader, newest first: resting, on their way, and in doubt. */
export async function readOpenOrders(sources: Sources, owner: OwnerId, trader: Hotkey): Promise<Status[]> {
  const page = await readOrderPage(sources, owner, trader, { state: 'open', cursor: null, limit: null });
  return page.map(({ status }) => status);
}

/** A resting order may have ended meanwhile, so the venue is read. If it cannot be read, the lifecycle is null. */
async function statusesOf(
  { db, reads }: Sources,
  trader: Hotkey,
  all: readonly RecordedOrder[],
): Promise<OrderStatus[]> {
  const shown = all.flatMap((recorded) => {
    const status = orderStatus(recorded);
    return status ? [{ id: recorded.id, recorded, status }] : [];
  });
  if (!shown.some(({ status }) => status.lifecycle === 'resting')) return shown;
  const [dashboard, book] = await Promise.all([reads.dashboard(trader), reads.networkOrders(trader)]);
  return Promise.all(
    shown.map(async ({ id, recorded, status }) => ({ id, status: await statusNow(recorded, status) })),
  );

  async function statusNow({ id, order }: RecordedOrder, status: Status): Promise<Status> {
    if (status.lifecycle !== 'resting' || !order) return status;
    const noted = await noteRested(db, { id, ...order }, { dashboard, book });
    if (noted === 'unknown') return { ...status, lifecycle: null, remaining: null };
    const { lifecycle, executed, protection } = noted;
    if (lifecycle === 'resting') return status;
    return {
      ...status,
      lifecycle,
      ...(status.remaining !== null && { remaining: 0 }),
      ...(executed && { executed }),
      ...(protection && { protection: protection.state, protection_error: protection.error }),
    };
  }
}
