import type { components } from '../../../../contract/types.ts';
import type { Db } from '../../../../db/pool.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { intentIdOf } from '../../../../kernel/exchange-names.ts';
import { hasEnded } from '../../../../kernel/exchange-order-state.ts';
import type { OwnerId, WalletAddress } from '../../../../kernel/ids.ts';
import type { VenueReads } from '../../../reads.ts';
import type { OpenOrder } from '../../adapter/types.ts';
import { READS_BEHIND_MS } from '../evidence.ts';
import { listExchangeOrders, listNewlyResting, type RecordedExchangeOrder } from '../queries.ts';
import { openOrder, shownOrder } from '../views.ts';

type Order = components['schemas']['Order'];
type Deps = {
  db: Db;
  reads: Pick<VenueReads, 'exchangeDexesWithOrders' | 'exchangeOrders' | 'exchangeOrder'>;
};

/**
 * The open orders of a wallet, wherever they were placed, newest first, joined with an owner's records. The exchange's lists may be behind: an order
 * that is recorded as ended is left out, and one that came to rest a short time ago is added, unless its own record says that it has ended.
 * Throws VENUE_UNREADABLE.
 */
export async function readOpenOrders({ db, reads }: Deps, owner: OwnerId, wallet: WalletAddress): Promise<Order[]> {
  const listed = await listOpen(reads, wallet);
  const ids = listed.flatMap(({ cloid }) => (cloid === null ? [] : intentIdOf(cloid)));
  const oids = listed.flatMap(({ cloid, oid }) => (cloid === null ? String(oid) : []));
  const [stored, resting] = await Promise.all([
    listExchangeOrders(db, owner, ids, oids),
    listNewlyResting(db, owner, wallet, READS_BEHIND_MS),
  ]);
  const records = new Map(
    stored.flatMap((order) => [[order.id, order] as const, [order.executed?.ex_order_id, order]]),
  );
  const recordOf = ({ cloid, oid }: OpenOrder) => records.get(cloid ? intentIdOf(cloid) : String(oid));
  const ended = new Map(
    listed.flatMap((order) => {
      const state = recordOf(order)?.executed?.status ?? 'open';
      return hasEnded({ state }) ? [[order.oid, state] as const] : [];
    }),
  );
  const isOpen = ({ oid, parentOid }: OpenOrder) =>
    !ended.has(oid) && (parentOid === null || ended.get(parentOid) !== 'cancelled'); // exits end with the rest of their order
  const seen = new Set(listed.flatMap((order) => [String(order.oid), recordOf(order)?.id])); // its trader may have changed its number
  const unseen = resting.filter(({ id, executed }) => !seen.has(id) && !seen.has(String(executed?.ex_order_id)));
  const added = await Promise.all(unseen.map((order, n) => readUnlisted(order, n < MOST_READ ? reads : null, wallet)));
  const shown = listed.filter(isOpen).map((order) => ({
    ...openOrder(order, recordOf(order)),
    parent_ex_order_id: order.parentOid === null ? null : String(order.parentOid),
  }));
  return [...added.flat(), ...shown].sort(newestFirst);
}

/**
 * One order for the lists of all dexes and the orders that are added to them: an added order has the position at which its list will show it, so
 * pages stay consistent.
 */
const newestFirst = (a: Order, b: Order) => Number(b.ex_order_id) - Number(a.ex_order_id);

async function listOpen(reads: Deps['reads'], wallet: WalletAddress): Promise<OpenOrder[]> {
  const dexes = await reads.exchangeDexesWithOrders(wallet);
  const names = ['', ...(dexes.kind === 'found' ? dexes.data : [])];
  const results = await Promise.all(names.map((dex) => reads.exchangeOrders(wallet, dex)));
  if ([dexes, ...results].some(({ kind }) => kind === 'unreadable')) throw new ApiError('VENUE_UNREADABLE');
  return results.flatMap((open) => (open.kind === 'found' ? open.data : []));
}

const MOST_READ = 50; // each costs a read of its own

/** An order that rests by our records and that no list shows: by its own record at the venue, else, or without `reads`, by ours. */
async function readUnlisted(order: RecordedExchangeOrder, reads: Deps['reads'] | null, wallet: WalletAddress) {
  if (!order.executed) return [];
  const read = await reads?.exchangeOrder(wallet, Number(order.executed.ex_order_id));
  if (read?.kind === 'found' && hasEnded(read.data)) return [];
  const shown =
    read?.kind === 'found' ? openOrder(read.data.order, order) : shownOrder(order, order.terms, order.executed);
  return [{ ...shown, parent_ex_order_id: null }];
}
