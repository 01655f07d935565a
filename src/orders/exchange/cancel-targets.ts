import type { Exvenue, OrderView } from '../../adapters/exchange/types.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import { absent, found, type ReadResult } from '../../kernel/upstream-result.ts';
import { type CancelTarget, type ClosedOrder, closedResult } from './cancel-result.ts';
import { type NotReady, UNREACHABLE } from './not-ready.ts';

/** The orders to cancel, the reason why they could not be read, or the result if none is open. */
export type Targets = { targets: CancelTarget[] } | NotReady | { done: Record<string, unknown> };

/** The open orders of a wallet on the venue's own dex and on the given builder dexes; unreadable if any of them is. */
export async function listOpen(
  exvenue: Exvenue,
  wallet: WalletAddress,
  dexes: readonly string[],
): Promise<ReadResult<OrderView[]>> {
  const orders: OrderView[] = [];
  for (const dex of new Set(['', ...dexes])) {
    const open = await exvenue.openOrders(wallet, dex);
    if (open.kind === 'unreadable') return open;
    if (open.kind === 'found') orders.push(...open.data);
  }
  return found(orders);
}

/**
 * The orders that can still be cancelled, or the result if there are none: all are closed or unknown. `recent`: orders
 * that were placed a moment ago. Reads may be behind, so one that is not found is cancelled nevertheless.
 */
export async function findTargets(
  exvenue: Exvenue,
  { wallet, oids }: { wallet: WalletAddress; oids: number[] },
  recent: CancelTarget[],
): Promise<Targets> {
  const targets: CancelTarget[] = [];
  const closed: ClosedOrder[] = [];
  for (const oid of oids) {
    const order = await findByOid(exvenue, wallet, oid);
    if (order.kind === 'unreadable') return UNREACHABLE;
    const placed = order.kind === 'absent' && recent.find((target) => target.oid === oid);
    if (order.kind === 'found' && order.data.open) targets.push({ oid, coin: order.data.coin });
    else if (placed) targets.push(placed);
    else closed.push({ oid, coin: order.kind === 'found' ? order.data.coin : null });
  }
  return targets.length > 0 ? { targets } : { done: closedResult(closed) };
}

/** Finds an order by its number. The venue sometimes does not find an order by number that it lists as open. */
async function findByOid(
  exvenue: Exvenue,
  wallet: WalletAddress,
  oid: number,
): Promise<ReadResult<{ coin: string; open: boolean }>> {
  const status = await exvenue.orderStatus(wallet, oid);
  if (status.kind === 'unreadable') return status;
  if (status.kind === 'found') {
    const { order, state } = status.data;
    return found({ coin: order.coin, open: state === 'open' || state === 'triggered' || state === 'unknown' });
  }
  const open = await exvenue.openOrders(wallet);
  if (open.kind === 'unreadable') return open;
  const order = open.kind === 'found' && open.data.find((candidate) => candidate.oid === oid);
  return order ? found({ coin: order.coin, open: true }) : absent;
}
