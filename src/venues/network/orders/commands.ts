import type { Db } from '../../../db/pool.ts';
import { notedOf } from './noted.ts';
import type { RestingOrder } from './queries.ts';
import type { Records } from './shown.ts';
import { noteOrder } from './store.ts';

/** Records which of a trader's resting orders have ended, according to the network's records. */
export async function noteEndedOrders(db: Db, resting: readonly RestingOrder[], records: Records): Promise<void> {
  for (const { id, handle, terms } of resting) {
    const noted = notedOf(records, handle, terms);
    if (noted && (noted.lifecycle !== 'resting' || noted.handle !== handle)) await noteOrder(db, id, noted);
  }
}
