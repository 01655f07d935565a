import { isCheaperOneByOne, readWeights } from '../../../capacity/exchange.ts';
import type { Db } from '../../../db/pool.ts';
import { compare, minus } from '../../../kernel/decimals.ts';
import { cloidOf, coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import { hasEnded } from '../../../kernel/exchange-order-state.ts';
import type { OrderUuid, WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue, OpenOrder, OrderRecord, OrderView } from '../adapter/types.ts';
import { filledSizeOf, isChanged } from '../filled.ts';
import { type EndedParent, isCancelledByCommand } from '../orders/exit-outcome.ts';
import { timeInForceOf } from '../orders/rules.ts';
import { settleExits } from '../orders/waiting-exits.ts';
import type { WatchedOrder } from './queries.ts';
import type { EndedOrder } from './store.ts';

/** The dependencies of a reading. */
export type LedgerDeps = { db: Db; exvenue: Exvenue; config: { EXVENUE_READ_LAG_MS: number } };

/**
 * What a reading shows of a wallet's orders. `ended`: those that the venue has ended. `absent`: those that rest by our
 * records, and of which it shows nothing.
 */
export type OrdersSeen = { hasChanged: boolean; ended: EndedOrder[]; absent: OrderUuid[]; weight: number };

/**
 * Reads the present state of a wallet's orders: one by one if they are few on a dex, else by one list of the open ones, and then only those that it
 * lacks. The venue keeps the records of the newest orders only, so an order without one has ended once no list has shown it for as long as reads may
 * be behind: see venues/exchange.md#rows. The exits of an order that has ended are settled at once: lost ones are placed again. An unreadable list
 * decides nothing.
 */
export async function readOrders(
  deps: LedgerDeps,
  wallet: WalletAddress,
  orders: readonly WatchedOrder[],
): Promise<OrdersSeen> {
  const seen: OrdersSeen = { hasChanged: false, ended: [], absent: [], weight: 0 };
  for (const [dex, group] of Map.groupBy(orders, ({ terms }) => dexOf(coinOf(terms.pair)))) {
    const list = openOrdersOnce(deps, { wallet, dex }, seen);
    const isListed = !isCheaperOneByOne(group.length);
    const open = isListed ? await list() : null;
    if (isListed && !open) continue;
    for (const order of group) await readOrder(deps, { order, listed: open?.get(cloidOf(order.id)), list }, seen);
  }
  return seen;
}

type OpenOrders = ReadonlyMap<string | null, OpenOrder>;

/** The open orders of a dex by their client order ids, read when they are needed and once. Null if the list is unreadable. */
function openOrdersOnce({ exvenue }: LedgerDeps, of: { wallet: WalletAddress; dex: string }, seen: OrdersSeen) {
  let read: Promise<OpenOrders | null> | null = null;
  const readList = async (): Promise<OpenOrders | null> => {
    seen.weight += readWeights.usual;
    const list = await exvenue.openOrders(of.wallet, of.dex);
    return list.kind === 'found' ? new Map(list.data.map((one) => [one.cloid, one])) : null;
  };
  return (): Promise<OpenOrders | null> => {
    read ??= readList();
    return read;
  };
}

type Reading = { order: WatchedOrder; listed: OpenOrder | undefined; list: () => Promise<OpenOrders | null> };

async function readOrder(deps: LedgerDeps, { order, listed, list }: Reading, seen: OrdersSeen): Promise<void> {
  if (listed) return note(deps, order, openRecord(listed), seen);
  const record = await deps.exvenue.orderStatus(order.trader, cloidOf(order.id));
  seen.weight += readWeights.light;
  if (record.kind === 'absent') return readAbsent(deps, order, list, seen);
  if (record.kind === 'unreadable') return;
  note(deps, order, record.data, seen);
  if (order.is_resting && isChanged(record.data.order.oid, order.executed)) return; // what was filled of it is recorded first
  if (order.waits && record.data.state !== 'open') seen.weight += await settleExits(deps, order, record.data);
}

/** Notes an order without a record: a list shows it, or nothing does. */
async function readAbsent(
  deps: LedgerDeps,
  order: WatchedOrder,
  list: Reading['list'],
  seen: OrdersSeen,
): Promise<void> {
  const open = order.is_resting ? await list() : NONE;
  const shown = open?.get(cloidOf(order.id));
  if (shown) return note(deps, order, openRecord(shown), seen);
  if (!open && order.absent_s === null) return;
  seen.absent.push(order.id);
  if (!open || 1_000 * (order.absent_s ?? 0) < deps.config.EXVENUE_READ_LAG_MS) return;
  if (!order.is_resting) seen.weight += await settleExits(deps, order, endOf(order));
  else seen.ended.push({ id: order.id, number: null, filled_size: '0', by_command: false, is_filled: false }); // its executions show what was filled
  seen.hasChanged ||= order.is_resting;
}

const NONE: OpenOrders = new Map();

/** The end of an order, by our records, if the venue has none of it. Who ended it is unknown, so what was filled stays protected. */
const endOf = ({ is_filled, terms, executed }: WatchedOrder): EndedParent => {
  const size = executed?.size ?? '0';
  return {
    state: is_filled ? 'filled' : 'cancelled',
    word: '',
    statusMs: 0,
    order: {
      oid: Number(executed?.ex_order_id),
      originalSize: size,
      size: is_filled ? '0' : minus(size, executed?.filled_size ?? '0'),
      timeInForce: timeInForceOf(terms),
    },
  };
};

type Seen = Pick<OrderRecord, 'state' | 'statusMs'> & {
  order: Pick<OrderView, 'oid' | 'originalSize' | 'size' | 'timeInForce'>;
  word?: string;
};

const openRecord = (order: OpenOrder): Seen => ({ order, state: 'open', statusMs: order.placedMs });

/**
 * Notes a resting order that has more executions than are recorded, or has ended. If the exchange may have shrunk it, only executions show what was
 * filled, once no read can be behind its end. The same holds for what was filled of a cancelled order before its trader changed it.
 */
function note({ config }: LedgerDeps, order: WatchedOrder, record: Seen, seen: OrdersSeen): void {
  const { order: shown, state, statusMs } = record;
  if (!order.is_resting) return;
  const filled = filledSizeOf({ ...shown, reduceOnly: order.terms.reduce_only }, state);
  const isEnded = hasEnded({ state });
  const isTold = filled !== null && (state === 'filled' || !isChanged(shown.oid, order.executed));
  const isProven = isTold || epochMs() - statusMs > config.EXVENUE_READ_LAG_MS;
  if (isEnded && isProven)
    seen.ended.push({
      id: order.id,
      number: String(shown.oid),
      filled_size: filled ?? '0',
      by_command: isCancelledByCommand(record),
      is_filled: state === 'filled',
    });
  seen.hasChanged ||= isEnded || (filled !== null && compare(filled, order.executed?.filled_size ?? '0') > 0);
}
