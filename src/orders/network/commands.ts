import type { Logger } from 'pino';
import type { Dashboard, OrderBook, TradePair } from '../../adapters/network/types.ts';
import type { Db } from '../../db/pool.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { closesByUuid } from './close.ts';
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

/** Logs a close style that contradicts the build of the network, as far as its registry can be read at the start. */
export async function checkCloseStyle({
  config,
  log,
  reads,
}: {
  config: { NETVENUE_CLOSE_STYLE: string };
  log: Pick<Logger, 'info' | 'warn'>;
  reads: { tradePairs(): Promise<ReadResult<TradePair[]>> };
}): Promise<void> {
  const style = config.NETVENUE_CLOSE_STYLE;
  const pairs = await reads.tradePairs();
  const byUuid = closesByUuid(pairs);
  if (pairs.kind !== 'found') log.warn({ style }, 'close style unchecked: the registry of pairs could not be read');
  else if (style === 'flat_all' && !byUuid)
    log.warn(
      { style },
      'close style contradicts the network: its registry is of builds that close every position on FLAT_ALL',
    );
  else log.info({ style, closesByUuid: byUuid }, 'close style checked');
}

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
