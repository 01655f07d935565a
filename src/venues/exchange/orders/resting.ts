import { isCheaperOneByOne, readWeights } from '../../../capacity/exchange.ts';
import type { Db } from '../../../db/pool.ts';
import { compare, minus } from '../../../kernel/decimals.ts';
import { cloidOf, coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { Exvenue, OrderView } from '../adapter/types.ts';
import { CLOCK_SKEW_MS } from './evidence.ts';
import { listRestingOrders, type RecordedExchangeOrder } from './queries.ts';
import { type EndedOrder, planRestingOrders, recordFills, takeRestingWallets } from './store.ts';

/** The dependencies of `readResting`. */
export type RestingDeps = { db: Db; exvenue: Exvenue };

const WALLETS_AT_ONCE = 20;
/** The weight that these reads take in a second: a seventh of the deployment's. */
const WEIGHT_PER_S = 3;
const SHORTEST_PAUSE_S = 5;

/**
 * Reads what has become of resting orders, wallet by wallet. Only when one of a wallet's orders is smaller or gone are its
 * executions read, from those on that are recorded: then every one since is recorded once, also those of other software and
 * of a time without a process. The next run follows as soon as the weight of this one allows.
 */
export async function readResting({ db, exvenue }: RestingDeps): Promise<void> {
  const wallets = await takeRestingWallets(db, WALLETS_AT_ONCE);
  let weight = 0;
  for (const { ex_wallet: wallet, read_to_ms: fromMs } of wallets) {
    const orders = await listRestingOrders(db, wallet);
    const seen = await readChanged(exvenue, wallet, orders);
    weight += seen.weight;
    if (!seen.hasChanged) continue;
    weight += readWeights.usual;
    const fills = await exvenue.fills(wallet, { fromMs: fromMs - CLOCK_SKEW_MS });
    if (fills.kind === 'found') await recordFills(db, wallet, fills.data, seen.ended);
  }
  if (wallets.length > 0) await planRestingOrders(db, Math.max(SHORTEST_PAUSE_S, weight / WEIGHT_PER_S));
}

/** `ended`: orders that the venue ended before they were filled, and how much of them was. */
type Changed = { hasChanged: boolean; ended: EndedOrder[]; weight: number };

/** What the venue shows of a wallet's orders: one by one if they are few, else by the lists of its open orders. */
async function readChanged(
  exvenue: Exvenue,
  wallet: WalletAddress,
  orders: readonly RecordedExchangeOrder[],
): Promise<Changed> {
  const isOneByOne = isCheaperOneByOne(orders.length);
  const dexes = [...new Set(orders.map(({ terms }) => dexOf(coinOf(terms.pair))))];
  const lists = isOneByOne ? [] : await Promise.all(dexes.map((dex) => exvenue.openOrders(wallet, dex)));
  const open = new Map(
    lists.flatMap((list) => (list.kind === 'found' ? list.data : [])).map((one) => [one.cloid, one]),
  );
  const changed: Changed = { hasChanged: false, ended: [], weight: lists.length * readWeights.usual };
  if (lists.some(({ kind }) => kind === 'unreadable')) return changed;
  for (const order of orders) {
    const listed = open.get(cloidOf(order.id));
    if (!listed) changed.weight += readWeights.light;
    const record = listed ? null : await exvenue.orderStatus(wallet, cloidOf(order.id));
    if (record && record.kind !== 'found') continue;
    const filled = filledOf(listed ?? record?.data.order);
    const isEnded = record?.data.state === 'cancelled' || record?.data.state === 'rejected';
    if (isEnded) changed.ended.push({ id: order.id, filled_size: filled });
    changed.hasChanged ||=
      isEnded || record?.data.state === 'filled' || compare(filled, order.executed?.filled_size ?? '0') > 0;
  }
  return changed;
}

const filledOf = (order: OrderView | undefined): string => (order ? minus(order.originalSize, order.size) : '0');
