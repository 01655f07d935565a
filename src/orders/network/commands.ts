import type { OrderBook } from '../../adapters/network/types.ts';
import type { Db } from '../../db/pool.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { endOf } from './evidence.ts';
import { listResting } from './queries.ts';
import { noteLifecycle } from './store.ts';

type Sources = { db: Db; reads: { networkOrders(trader: string): Promise<ReadResult<OrderBook>> } };

/**
 * Records which of a trader's resting orders have ended, according to the network's book. Resolves to the number
 * checked.
 */
export async function noteEndedOrders({ db, reads }: Sources, trader: string): Promise<number> {
  const resting = await listResting(db, trader);
  if (resting.length === 0) return 0;
  const book = await reads.networkOrders(trader);
  for (const { id, handle } of resting) {
    const end = endOf(book, handle);
    if (end) await noteLifecycle(db, id, end.lifecycle, end.executed);
  }
  return resting.length;
}
