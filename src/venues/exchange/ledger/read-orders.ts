import { isCheaperOneByOne, readWeights } from '../../../capacity/exchange.ts';
import type { Db } from '../../../db/pool.ts';
import { compare, minus } from '../../../kernel/decimals.ts';
import { cloidOf, coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Exvenue, OpenOrder, OrderRecord, OrderView } from '../adapter/types.ts';
import { isCancelledByCommand } from '../orders/exit-outcome.ts';
import { settleExits } from '../orders/waiting-exits.ts';
import type { WatchedOrder } from './queries.ts';
import type { EndedOrder } from './store.ts';

/** The dependencies of a reading. */
export type LedgerDeps = { db: Db; exvenue: Exvenue };

/** What a reading shows of a wallet's orders. `ended`: those that the venue ended before they were filled. */
export type OrdersSeen = { hasChanged: boolean; ended: EndedOrder[]; weight: number };

/**
 * Reads what has become of a wallet's orders: one by one if they are few on a dex, else by one list of the open ones, and then
 * only those that it lacks. The exits of an order that has ended are settled at once: lost ones are placed again. An
 * unreadable list decides nothing.
 */
export async function readOrders(
  deps: LedgerDeps,
  wallet: WalletAddress,
  orders: readonly WatchedOrder[],
): Promise<OrdersSeen> {
  const seen: OrdersSeen = { hasChanged: false, ended: [], weight: 0 };
  for (const [dex, group] of Map.groupBy(orders, ({ terms }) => dexOf(coinOf(terms.pair)))) {
    const open = await readOpen(deps, { wallet, dex, isListed: !isCheaperOneByOne(group.length) });
    if (!open) continue;
    if (!isCheaperOneByOne(group.length)) seen.weight += readWeights.usual;
    for (const order of group) await readOrder(deps, order, open.get(cloidOf(order.id)), seen);
  }
  return seen;
}

type Book = { wallet: WalletAddress; dex: string; isListed: boolean };

/** The open orders of a dex by their client order ids, none if they are not listed. Null if the list is unreadable. */
async function readOpen({ exvenue }: LedgerDeps, { wallet, dex, isListed }: Book) {
  if (!isListed) return new Map<string | null, OpenOrder>();
  const list = await exvenue.openOrders(wallet, dex);
  return list.kind === 'unreadable'
    ? null
    : new Map((list.kind === 'found' ? list.data : []).map((one) => [one.cloid, one]));
}

async function readOrder(
  deps: LedgerDeps,
  order: WatchedOrder,
  listed: OpenOrder | undefined,
  seen: OrdersSeen,
): Promise<void> {
  if (listed) return note(order, { order: listed, state: 'open' }, seen);
  const record = await deps.exvenue.orderStatus(order.trader, cloidOf(order.id));
  seen.weight += readWeights.light;
  if (record.kind !== 'found') return;
  note(order, record.data, seen);
  if (order.waits && record.data.state !== 'open') seen.weight += await settleExits(deps, order, record.data);
}

type Seen = Pick<OrderRecord, 'state'> & { order: OrderView; word?: string };

/** Notes a resting order that has more executions than are recorded, or has ended. */
function note(order: WatchedOrder, record: Seen, seen: OrdersSeen): void {
  const { order: shown, state } = record;
  if (!order.is_resting) return;
  const filled_size = minus(shown.originalSize, shown.size);
  const isEnded = state === 'cancelled' || state === 'rejected';
  if (isEnded) seen.ended.push({ id: order.id, filled_size, by_command: isCancelledByCommand(record) });
  seen.hasChanged ||= isEnded || state === 'filled' || compare(filled_size, order.executed?.filled_size ?? '0') > 0;
}
