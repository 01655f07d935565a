import { compare } from '../../../kernel/decimals.ts';
import { hasEnded, mayGoOn } from '../../../kernel/exchange-order-state.ts';
import type { ResponseCache } from '../../../kernel/shared-upstream.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { readRecord } from './orders.ts';
import type { OrderRecord, OrderUpdates } from './types.ts';

/** The updates that are kept with the responses of the exchange, whose reads may be `lagMs` behind. */
export const orderUpdatesIn = (responses: ResponseCache, lagMs: number): OrderUpdates => {
  const find = async (cloid: string) => {
    const kept = await responses.find(nameOf(cloid)).catch(() => null);
    return kept && kept.ageMs <= lagMs ? readRecord(kept.body) : null;
  };
  return {
    find,
    async keep(cloid, { record, wire }) {
      const known = await find(cloid);
      if (known && !isLater(record, known)) return false;
      await responses.keep(nameOf(cloid), wire);
      return true;
    },
  };
};

/** For an exchange without a stream. */
export const NO_UPDATES: OrderUpdates = { find: async () => null, keep: async () => true };

const nameOf = (cloid: string) => `orderUpdates ${cloid}`;

/**
 * Whether a record is later than another one of the same client order id. An order that has ended never opens again, and its open size only shrinks.
 * Another order under the same id is later if its state is: an order that replaces another ends it in the same millisecond and has a higher number.
 */
function isLater(record: OrderRecord, than: OrderRecord): boolean {
  if (record.order.oid !== than.order.oid)
    return record.statusMs > than.statusMs || (record.statusMs === than.statusMs && record.order.oid > than.order.oid);
  if (hasEnded(record) !== hasEnded(than)) return hasEnded(record);
  if (hasEnded(record)) return record.statusMs > than.statusMs;
  const size = compare(record.order.size, than.order.size);
  return size < 0 || (size === 0 && record.statusMs > than.statusMs);
}

/**
 * The later of a replica's and the stream's record of an order; what the stream leaves out is the replica's. If the replica does not have the order,
 * an end without an execution does not count, because the stream does not say whether the order was rejected. `isByNumber`: the caller asks for this
 * number, so its end counts even if the order may go on under another one.
 */
export function latestOf(
  read: ReadResult<OrderRecord>,
  update: OrderRecord | null,
  isByNumber = false,
): ReadResult<OrderRecord> {
  if (!update || update.state === 'unknown' || read.kind === 'unreadable') return read;
  if (read.kind === 'absent') return saysEnough(update) ? found(update) : read;
  const { data } = read;
  if (!isLater(update, data)) return read;
  if (!isByNumber && mayGoOn(update)) return read;
  if (update.order.oid !== data.order.oid) return saysEnough(update) ? found(update) : read;
  return found({ ...update, order: { ...data.order, size: update.order.size } });
}

const saysEnough = ({ state, order: { size, originalSize } }: OrderRecord): boolean =>
  state !== 'cancelled' || size !== originalSize;
