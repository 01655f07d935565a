import type { Dashboard, OrderBook } from '../../adapters/network/types.ts';
import type { Db } from '../../db/pool.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { notedOf } from './noted.ts';
import { listResting } from './queries.ts';
import { noteOrder } from './store.ts';

type Sources = {
  db: Db;
  reads: {
    dashboard(trader: string): Promise<ReadResult<Dashboard>>;
    networkOrders(trader: string): Promise<ReadResult<OrderBook>>;
  };
};

/**
 * Records which of a trader's resting orders have ended, according to the network's book. Resolves to the number
 * checked.
 */
export async function noteEndedOrders({ db, reads }: Sources, trader: string): Promise<number> {
  const resting = await listResting(db, trader);
  if (resting.length === 0) return 0;
  const [dashboard, book] = await Promise.all([reads.dashboard(trader), reads.networkOrders(trader)]);
  for (const { id, handle, terms } of resting) {
    const noted = notedOf({ dashboard, book }, handle, terms);
    if (noted && (noted.lifecycle !== 'resting' || noted.handle !== handle)) await noteOrder(db, id, noted);
  }
  return resting.length;
}
