import type { Exvenue, ItemResult } from '../../adapters/exvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Finding, Ready } from '../../intents/carry-out.ts';
import { accepted, inDoubt, rejected } from '../../kernel/answer.ts';
import { displayPair } from './rules.ts';

type CancelResult = components['schemas']['CancelResult'];
type Line = CancelResult['results'][number];

/** An open order that is to go. */
export type CancelTarget = { oid: number; coin: string };

/** What became of each target, in the words of the contract. */
export function cancelResult(targets: CancelTarget[], items: ItemResult[]): CancelResult {
  const results = targets.map((target, n) => line(target, items[n]));
  const cancelled = results.filter(({ status }) => status === 'cancelled').length;
  const failed = results.filter(({ status }) => status === 'error').length;
  return {
    status: failed > 0 ? 'partial' : onlyGone(results) ? 'already_closed' : 'ok',
    message: `${cancelled} of ${targets.length} open orders cancelled.`,
    total_open_orders: targets.length,
    cancelled_count: cancelled,
    failed_count: failed,
    results,
  };
}

/** The result while a cancellation is under way. */
export const cancelPending: CancelResult = {
  status: 'pending',
  message: 'Accepted; the orders are being cancelled.',
  total_open_orders: 0,
  cancelled_count: 0,
  failed_count: 0,
  results: [],
};

const onlyGone = (results: Line[]) => results.length > 0 && results.every(({ status }) => status === 'already_closed');

function line({ oid, coin }: CancelTarget, item: ItemResult | undefined): Line {
  const known = { order_id: String(oid), pair: displayPair(coin) };
  if (item?.kind === 'done') return { ...known, status: 'cancelled', message: 'Cancelled.' };
  if (item?.kind === 'rejected' && item.slug === 'order_gone') {
    return { ...known, status: 'already_closed', message: 'Filled or cancelled before.' };
  }
  return { ...known, status: 'error', message: item?.kind === 'rejected' ? item.message : 'Not cancelled.' };
}

/** What to answer for orders that are not open: closed before, or never known. */
export async function goneBefore(exvenue: Exvenue, wallet: string, oids: number[]): Promise<Ready<never>> {
  const results: Line[] = [];
  for (const oid of oids) {
    const status = await exvenue.orderStatus(wallet, oid);
    if (status.kind === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
    results.push(
      status.kind === 'found'
        ? {
            order_id: String(oid),
            pair: displayPair(status.said.order.coin),
            status: 'already_closed',
            message: 'Filled or cancelled before.',
          }
        : {
            order_id: String(oid),
            pair: null,
            status: 'not_found',
            message: 'The exchange knows no such order of this wallet.',
          },
    );
  }
  const unknown = results.every(({ status }) => status === 'not_found');
  return {
    done: {
      status: unknown ? 'not_found' : 'already_closed',
      message: unknown ? 'No such order.' : 'Nothing was open any more.',
      total_open_orders: 0,
      cancelled_count: 0,
      failed_count: 0,
      results,
    } satisfies CancelResult,
  };
}

/** Looks which targets are open still. Gone ones count as cancelled; once nothing can land any more the others as failed. */
export async function findCancels(
  exvenue: Exvenue,
  wallet: string,
  targets: CancelTarget[],
  expired: boolean,
): Promise<Finding<{ items: ItemResult[] }>> {
  const open = await exvenue.openOrders(wallet);
  if (open.kind === 'unreadable') return inDoubt(open.why);
  const oids = new Set(open.kind === 'found' ? open.said.map(({ oid }) => oid) : []);
  const left = targets.filter(({ oid }) => oids.has(oid));
  if (left.length > 0 && !expired) return inDoubt('some orders are open still');
  const items = targets.map(({ oid }): ItemResult => (oids.has(oid) ? STILL_OPEN : { kind: 'done' }));
  return accepted({ items });
}

const STILL_OPEN = rejected('still_open', 'The exchange did not take the cancellation in time.');
