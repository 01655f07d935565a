import type { Exvenue, ItemResult, OrderView } from '../../adapters/exvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Finding, Ready } from '../../intents/carry-out.ts';
import { absent, accepted, found, inDoubt, type Lookup, rejected } from '../../kernel/answer.ts';
import { dexOf } from './facts.ts';
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

/** Open orders of a wallet on the venue's own dex and on these builder dexes; unreadable where one of them is. */
export async function listOpen(
  exvenue: Exvenue,
  wallet: string,
  dexes: readonly string[],
): Promise<Lookup<OrderView[]>> {
  const orders: OrderView[] = [];
  for (const dex of new Set(['', ...dexes])) {
    const open = await exvenue.openOrders(wallet, dex);
    if (open.kind === 'unreadable') return open;
    if (open.kind === 'found') orders.push(...open.said);
  }
  return found(orders);
}

/** Which of these orders may still be cancelled, or what to answer where none may: closed before, or never known. */
export async function findNamed(
  exvenue: Exvenue,
  wallet: string,
  oids: number[],
): Promise<{ targets: CancelTarget[] } | Ready<never>> {
  const targets: CancelTarget[] = [];
  const gone: Line[] = [];
  for (const oid of oids) {
    const known = await findByOid(exvenue, wallet, oid);
    if (known.kind === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
    if (known.kind === 'found' && known.said.open) targets.push({ oid, coin: known.said.coin });
    else gone.push(goneLine(oid, known.kind === 'found' ? known.said.coin : null));
  }
  return targets.length > 0 ? { targets } : { done: goneResult(gone) };
}

/** An order by its number. The venue sometimes does not know one by name that it lists among the open ones. */
async function findByOid(
  exvenue: Exvenue,
  wallet: string,
  oid: number,
): Promise<Lookup<{ coin: string; open: boolean }>> {
  const status = await exvenue.orderStatus(wallet, oid);
  if (status.kind === 'unreadable') return status;
  if (status.kind === 'found') {
    const { order, state } = status.said;
    return found({ coin: order.coin, open: state === 'open' || state === 'triggered' || state === 'unknown' });
  }
  const open = await exvenue.openOrders(wallet);
  if (open.kind === 'unreadable') return open;
  const order = open.kind === 'found' && open.said.find((candidate) => candidate.oid === oid);
  return order ? found({ coin: order.coin, open: true }) : absent;
}

const goneLine = (oid: number, coin: string | null): Line =>
  coin === null
    ? {
        order_id: String(oid),
        pair: null,
        status: 'not_found',
        message: 'The exchange knows no such order of this wallet.',
      }
    : {
        order_id: String(oid),
        pair: displayPair(coin),
        status: 'already_closed',
        message: 'Filled or cancelled before.',
      };

function goneResult(results: Line[]): CancelResult {
  const unknown = results.every(({ status }) => status === 'not_found');
  return {
    status: unknown ? 'not_found' : 'already_closed',
    message: unknown ? 'No such order.' : 'Nothing was open any more.',
    total_open_orders: 0,
    cancelled_count: 0,
    failed_count: 0,
    results,
  };
}

/**
 * Looks which targets are open still. Gone ones count as cancelled, unless the venue says that they were filled. Once nothing
 * can land any more the others count as failed; with all of them open still the cancellation is `absent`.
 */
export async function findCancels(
  exvenue: Exvenue,
  wallet: string,
  targets: CancelTarget[],
  expired: boolean,
): Promise<Finding<{ items: ItemResult[] }>> {
  const open = await listOpen(
    exvenue,
    wallet,
    targets.map(({ coin }) => dexOf(coin)),
  );
  if (open.kind !== 'found') return inDoubt('the open orders could not be read');
  const oids = new Set(open.said.flatMap(({ oid, children }) => [oid, ...children.map((child) => child.oid)]));
  const left = targets.filter(({ oid }) => oids.has(oid));
  if (left.length === targets.length) return { kind: 'absent' };
  if (left.length > 0 && !expired) return inDoubt('some orders are open still');
  const history = await exvenue.historicalOrders(wallet);
  if (history.kind !== 'found') return inDoubt('the past orders could not be read');
  const filled = new Set(history.said.filter(({ state }) => state === 'filled').map(({ order }) => order.oid));
  return accepted({ items: targets.map(({ oid }) => endOf(oid, oids, filled)) });
}

const endOf = (oid: number, open: Set<number>, filled: Set<number>): ItemResult => {
  if (open.has(oid)) return STILL_OPEN;
  return filled.has(oid) ? FILLED : { kind: 'done' };
};

/** An order that no cancellation reached. */
export const STILL_OPEN = rejected('still_open', 'The exchange did not take the cancellation in time.');
const FILLED = rejected('order_gone', 'The order was filled before it could be cancelled.');
