import type { Db } from '../../../db/pool.ts';
import { protectionAfter } from './effects.ts';
import { executedBy, protectionShown } from './protection.ts';
import type { RestingOrder } from './queries.ts';
import { carriesExits, type Terms } from './rules.ts';
import { noteAbsence, type OrderUpdate, recordOrderUpdate } from './store.ts';
import { findProven, isShown, type Records, wereAllRead } from './venue-records.ts';

/**
 * Records what the network's records show of an order that rested, and returns it. `unknown`: a record is missing that could
 * show it, or complete records have lacked it for a short time only.
 */
export async function noteRested(
  db: Db,
  { id, handle, terms, is_absent }: RestingOrder,
  records: Records,
): Promise<OrderUpdate | 'unknown'> {
  const noted = orderUpdateOf(records, handle, terms);
  const ended = noted ?? endOf(records, handle, terms);
  if (!ended) return 'unknown';
  if (!noted && ended.lifecycle === 'ended' && !(await noteAbsence(db, id, true))) return 'unknown';
  if (noted && is_absent) await noteAbsence(db, id, false);
  if (ended.lifecycle !== 'resting' || ended.handle !== handle) await recordOrderUpdate(db, id, terms, ended);
  return ended;
}

/** What the records prove of an order that rested; null if they do not show it, or if a record is missing that could. */
export function orderUpdateOf(records: Records, handle: string, terms: Terms): OrderUpdate | null {
  const shown = findProven(records, handle);
  if (!isShown(shown)) return null;
  const { lifecycle, name, order } = shown;
  const executed = lifecycle === 'filled' && order ? executedBy(order) : null;
  if (lifecycle !== 'filled' || !carriesExits(terms))
    return { lifecycle, handle: name, executed, protection: endedProtection(records, { lifecycle, name }, terms) };
  const protection = protectionShown(terms, shown, records, null);
  return protection && { lifecycle, handle: name, executed, protection };
}

/**
 * How an order ended that complete records do not show: an elimination cancels without a record, and otherwise nothing says
 * why. Null if they show it, or are not complete. See venues/network-validator.md#order-source-codes.
 */
function endOf(records: Records, handle: string, terms: Terms): OrderUpdate | null {
  if (findProven(records, handle) !== 'none' || !wereAllRead(records)) return null;
  const isEliminated = records.dashboard.kind === 'found' && records.dashboard.data.elimination !== null;
  const lifecycle = isEliminated ? 'cancelled' : 'ended';
  const protection = endedProtection(records, { lifecycle, name: handle }, terms);
  return { lifecycle, handle, executed: null, protection };
}

/** The protection of an order that no longer rests; null if it is unchanged or not known. */
const endedProtection = (records: Records, shown: Pick<OrderUpdate, 'lifecycle'> & { name: string }, terms: Terms) =>
  shown.lifecycle === 'resting'
    ? null
    : protectionAfter({ pair: terms.trade_pair, exits: terms }, shown, records, null);
