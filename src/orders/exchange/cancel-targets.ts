import type { CallLimits, Exvenue, OrderNames } from '../../adapters/exchange/types.ts';
import type { WalletAddress } from '../../kernel/ids.ts';
import { absent, found, type ReadResult } from '../../kernel/upstream-result.ts';
import { type CancelTarget, type ClosedOrder, closedResult } from './cancel-result.ts';
import { type NotReady, UNREACHABLE } from './not-ready.ts';

/**
 * The orders to cancel, the reason why they could not be read, or the result if none is open. `unreadDexes`: builder
 * dexes whose orders could not be read.
 */
export type Targets = { targets: CancelTarget[]; unreadDexes: string[] } | NotReady | { done: Record<string, unknown> };

/** Cancellations go first, with all they need to read. */
const FIRST: CallLimits = { priority: 'cancel' };

/** Open orders. `unreadDexes`: builder dexes whose orders could not be read. */
type Listed = { orders: OrderNames[]; unreadDexes: string[] };

/** The open orders of a wallet on the venue's own dex and on the given builder dexes, asked side by side. */
export async function listOpen(
  exvenue: Exvenue,
  wallet: WalletAddress,
  dexes: readonly string[],
): Promise<ReadResult<Listed>> {
  const names = [...new Set(['', ...dexes])];
  const results = await Promise.all(names.map((dex) => exvenue.openOrderNames(wallet, dex, FIRST)));
  const [own] = results;
  if (own?.kind === 'unreadable') return own;
  return found({
    orders: results.flatMap((open) => (open.kind === 'found' ? open.data : [])),
    unreadDexes: names.filter((_, n) => results[n]?.kind === 'unreadable'),
  });
}

/** All open orders of a wallet, wherever they were placed. `recent`: as for `findTargets`. */
export async function findAllTargets(
  exvenue: Exvenue,
  wallet: WalletAddress,
  recent: CancelTarget[],
): Promise<Targets> {
  const dexes = await exvenue.dexesWithOrders(wallet, FIRST);
  if (dexes.kind === 'unreadable') return UNREACHABLE;
  const open = await listOpen(exvenue, wallet, dexes.kind === 'found' ? dexes.data : []);
  if (open.kind !== 'found') return UNREACHABLE;
  const { orders, unreadDexes } = open.data;
  const seen = orders.map(({ oid, coin }) => ({ oid, coin }));
  return { targets: [...seen, ...recent.filter(({ oid }) => !seen.some((order) => order.oid === oid))], unreadDexes };
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
  const orders = await Promise.all(oids.map((oid) => findByOid(exvenue, wallet, oid)));
  if (orders.some(({ kind }) => kind === 'unreadable')) return UNREACHABLE;
  const targets: CancelTarget[] = [];
  const closed: ClosedOrder[] = [];
  for (const [n, oid] of oids.entries()) {
    const order = orders[n];
    const placed = order?.kind === 'absent' && recent.find((target) => target.oid === oid);
    if (order?.kind === 'found' && order.data.open) targets.push({ oid, coin: order.data.coin });
    else if (placed) targets.push(placed);
    else closed.push({ oid, coin: order?.kind === 'found' ? order.data.coin : null });
  }
  return targets.length > 0 ? { targets, unreadDexes: [] } : { done: closedResult(closed) };
}

/** Finds an order by its number. The venue sometimes does not find an order by number that it lists as open. */
async function findByOid(
  exvenue: Exvenue,
  wallet: WalletAddress,
  oid: number,
): Promise<ReadResult<{ coin: string; open: boolean }>> {
  const status = await exvenue.orderStatus(wallet, oid, FIRST);
  if (status.kind === 'unreadable') return status;
  if (status.kind === 'found') {
    const { order, state } = status.data;
    return found({ coin: order.coin, open: state === 'open' || state === 'triggered' || state === 'unknown' });
  }
  const open = await listOpen(exvenue, wallet, []);
  if (open.kind !== 'found') return open;
  const order = open.data.orders.find((candidate) => candidate.oid === oid);
  return order ? found({ coin: order.coin, open: true }) : absent;
}
