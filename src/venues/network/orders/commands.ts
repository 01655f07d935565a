import type { Db } from '../../../db/pool.ts';
import type { RestingOrder } from './queries.ts';
import { noteRested } from './rested.ts';
import type { Records } from './venue-records.ts';

export { noticeMissingExits } from './notice.ts';

/** Records which of a trader's resting orders have ended, according to the network's records. */
export async function recordEndedOrders(db: Db, resting: readonly RestingOrder[], records: Records): Promise<void> {
  for (const order of resting) await noteRested(db, order, records);
}
