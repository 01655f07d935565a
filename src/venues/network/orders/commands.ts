import type { Db } from '../../../db/pool.ts';
import type { RestingOrder } from './queries.ts';
import { orderUpdateOf } from './read-model.ts';
import { recordOrderUpdate } from './store.ts';
import type { Records } from './venue-records.ts';

/** Records which of a trader's resting orders have ended, according to the network's records. */
export async function recordEndedOrders(db: Db, resting: readonly RestingOrder[], records: Records): Promise<void> {
  for (const { id, handle, terms } of resting) {
    const noted = orderUpdateOf(records, handle, terms);
    if (noted && (noted.lifecycle !== 'resting' || noted.handle !== handle)) await recordOrderUpdate(db, id, noted);
  }
}
