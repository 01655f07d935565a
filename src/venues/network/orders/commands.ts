import type { Db } from '../../../db/pool.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import { listWantedExits } from '../../queries.ts';
import { exitsMayDiffer } from '../../store.ts';
import type { Dashboard } from '../adapter/types.ts';
import { hasPrices } from './comparison.ts';
import { isOpenPosition } from './positions.ts';
import type { RestingOrder } from './queries.ts';
import { noteRested } from './rested.ts';
import { samePair } from './rules.ts';
import type { Records } from './venue-records.ts';
import { liveExits } from './wanted.ts';

/** Records which of a trader's resting orders have ended, according to the network's records. */
export async function recordEndedOrders(db: Db, resting: readonly RestingOrder[], records: Records): Promise<void> {
  for (const order of resting) await noteRested(db, order, records);
}

/** How often a dashboard without a section of orders has the exits compared: with no orders, and with a fault, the network omits it. */
const WITHOUT_SECTION_S = 5;

/**
 * Has a trader's exits compared at once if a dashboard that was read for something else shows a position without exits that are
 * wanted of it, unless that is known. It is only a hint: the comparison reads complete records.
 */
export async function noticeMissingExits(db: Db, trader: Hotkey, { positions, openOrders, reported }: Dashboard) {
  const open = positions.filter(isOpenPosition);
  if (open.length === 0) return;
  const rows = await listWantedExits(db, 'netvenue', trader);
  const isMissing = rows.some(
    ({ pair, wanted, is_missing, compared_ago_s }) =>
      !is_missing &&
      (reported.orders || (compared_ago_s ?? Number.POSITIVE_INFINITY) > WITHOUT_SECTION_S) &&
      open.some(({ tradePair }) => samePair(tradePair, pair)) &&
      wanted.some((entry) => !entry.waits && !openOrders.some((order) => hasPrices(liveExits(order), entry))),
  );
  if (isMissing) await exitsMayDiffer(db, 'netvenue', trader);
}
