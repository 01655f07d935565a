import type { Db } from '../../../db/pool.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import { listWantedExits } from '../../queries.ts';
import { exitsMayDiffer } from '../../store.ts';
import type { Dashboard } from '../adapter/types.ts';
import { hasPrices } from './comparison.ts';
import { isOpenPosition } from './positions.ts';
import { samePair } from './rules.ts';
import { liveExits } from './wanted.ts';

/**
 * Has a trader's exits compared at once if a dashboard that was read for something else shows a position without exits that are
 * wanted of it, unless that is known.
 */
export async function noticeMissingExits(db: Db, trader: Hotkey, { positions, openOrders, reported }: Dashboard) {
  const open = positions.filter(isOpenPosition);
  if (!reported.orders || open.length === 0) return;
  const rows = await listWantedExits(db, 'netvenue', trader);
  const isMissing = rows.some(
    ({ pair, wanted, is_missing }) =>
      !is_missing &&
      open.some(({ tradePair }) => samePair(tradePair, pair)) &&
      wanted.some((entry) => !entry.waits && !openOrders.some((order) => hasPrices(liveExits(order), entry))),
  );
  if (isMissing) await exitsMayDiffer(db, 'netvenue', trader);
}
