import type { Logger } from 'pino';
import type { Db } from '../../../db/pool.ts';
import type { WantedRow } from '../../queries.ts';
import { executedBy } from './protection.ts';
import type { OrderWithExits } from './queries.ts';
import { recordFilledAgain } from './store.ts';
import { findProven, isShown, type Records } from './venue-records.ts';

type Deps = { db: Db; log: Pick<Logger, 'error'> };

/** Whether a waiting entry's order was filled: it is watched because the miner may fill it once more. */
export const isWatched = (order: OrderWithExits | undefined): order is OrderWithExits => order?.lifecycle === 'filled';

/**
 * Records and reports what was executed of orders that were filled once more after their fill was reported: an attempt
 * of the miner whose acknowledgement was lost is repeated while nobody waits for the response any more. See
 * venues/network.md#retries.
 */
export async function noteFilledAgain(
  { wanted }: Pick<WantedRow, 'wanted'>,
  orders: ReadonlyMap<string, OrderWithExits>,
  records: Records,
  { db, log }: Deps,
): Promise<void> {
  for (const { waits, order_uuid } of wanted) {
    const order = orders.get(order_uuid);
    if (!waits || !isWatched(order)) continue;
    const shown = findProven(records, order.handle);
    if (!isShown(shown) || shown.fills < 2 || !shown.order) continue;
    const executed = executedBy(shown.order);
    if (executed.quantity === order.executed?.quantity) continue;
    await recordFilledAgain(db, order.id, executed);
    log.error({ alert: 'order_filled_again', intent_id: order.id }, 'one order was filled more than once');
  }
}
