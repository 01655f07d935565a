import type { Logger } from 'pino';
import type { Dashboard, OrderBook, TradePair } from '../../adapters/network/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { closesByUuid } from './close-style.ts';
import { notedOf } from './noted.ts';
import { listResting } from './queries.ts';
import { noteOrder } from './store.ts';

type Sources = {
  db: Db;
  reads: {
    dashboard(trader: Hotkey): Promise<ReadResult<Dashboard>>;
    networkOrders(trader: Hotkey): Promise<ReadResult<OrderBook>>;
  };
};

/**
 * Logs how positions are closed at the network's build, as its registry shows it at the start. It is only told here: every
 * close reads the registry again, and never uses FLAT_ALL where it may touch more than its position.
 */
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
  const others = byUuid || (style === 'flat_all' && pairs.kind !== 'found') ? 'FLAT_ALL' : 'MARKET with FLAT';
  const course = {
    style,
    closesByUuid: byUuid,
    besideOtherPositions: style === 'market_flat' ? 'MARKET with FLAT' : others,
  };
  if (pairs.kind !== 'found') log.warn(course, 'close style unchecked: the registry of pairs could not be read');
  else if (style === 'flat_all' && !byUuid)
    log.warn(course, 'close style overruled: builds with this registry close every position on FLAT_ALL');
  else log.info(course, 'close style checked');
}

/**
 * Records which of a trader's resting orders have ended, according to the network's book. Resolves to the number
 * checked.
 */
export async function noteEndedOrders({ db, reads }: Sources, trader: Hotkey): Promise<number> {
  const resting = await listResting(db, trader);
  if (resting.length === 0) return 0;
  const [dashboard, book] = await Promise.all([reads.dashboard(trader), reads.networkOrders(trader)]);
  for (const { id, handle, terms } of resting) {
    const noted = notedOf({ dashboard, book }, handle, terms);
    if (noted && (noted.lifecycle !== 'resting' || noted.handle !== handle)) await noteOrder(db, id, noted);
  }
  return resting.length;
}
