import type { OrderBook } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Lookup } from '../../kernel/answer.ts';
import { ended } from '../lookups.ts';
import { noteLifecycle } from '../outcomes.ts';
import { findRecordedOrder, listRecordedOrders, type OrderPage, type RecordedOrder } from '../queries.ts';
import { orderStatus } from '../views.ts';

export { orderResult } from '../views.ts';

type Status = components['schemas']['NetvenueOrderStatus'];
type Sources = { db: Db; reads: { networkOrders(trader: string): Promise<Lookup<OrderBook>> } };

/** The status of a trader's order or other verb; the lifecycle of one that rests as the venue shows it now. Null for an unknown one. */
export async function readOrderStatus(
  sources: Sources,
  owner: string,
  trader: string,
  uuid: string,
): Promise<Status | null> {
  const recorded = await findRecordedOrder(sources.db, owner, trader, uuid.toLowerCase());
  if (!recorded) return null;
  const [status] = await statusesOf(sources, trader, [recorded]);
  return status ?? null;
}

/** A page of a trader's orders, newest first, each with its id; one more than asked where there are more. */
export async function readOrderPage(sources: Sources, owner: string, trader: string, page: OrderPage) {
  const recorded = await listRecordedOrders(sources.db, owner, trader, page);
  return (await statusesOf(sources, trader, recorded)).map((status) => ({ id: status.order_uuid, status }));
}

/** A resting order may have been filled or cancelled since: the venue knows. When it cannot be asked the lifecycle is null. */
async function statusesOf({ db, reads }: Sources, trader: string, all: readonly RecordedOrder[]): Promise<Status[]> {
  const shown = all.flatMap((recorded) => {
    const status = orderStatus(recorded);
    return status ? [{ recorded, status }] : [];
  });
  if (!shown.some(({ status }) => status.lifecycle === 'resting')) return shown.map(({ status }) => status);
  const book = await reads.networkOrders(trader);
  return Promise.all(shown.map(({ recorded, status }) => statusNow(recorded, status)));

  async function statusNow({ id, order }: RecordedOrder, status: Status): Promise<Status> {
    if (status.lifecycle !== 'resting') return status;
    if (book.kind !== 'found') return { ...status, lifecycle: null };
    const end = ended(book, order?.handle ?? id);
    if (!end) return status;
    await noteLifecycle(db, id, end.lifecycle, end.executed);
    return { ...status, lifecycle: end.lifecycle, ...(end.executed && { executed: end.executed }) };
  }
}
