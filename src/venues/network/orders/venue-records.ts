import { roundedNumber } from '../../../kernel/decimals.ts';
import type { ReadResult, Rejected } from '../../../kernel/upstream-result.ts';
import type { Dashboard, DashboardOrder, OrderBook } from '../adapter/types.ts';
import type { AtMiner, Lifecycle } from './outcome.ts';

/** What the validator shows of a trader. */
export type Records = { dashboard: ReadResult<Dashboard>; book: ReadResult<OrderBook> };

/**
 * The state of an order. `name`: under which uuid the network has it now. `order` is null if only its position shows it.
 * `fills`: how often it was filled; `order` is then their sum.
 */
export type VisibleResult = { lifecycle: Lifecycle; name: string; order: DashboardOrder | null; fills: number };

/** Reads both records of a trader. */
export async function readRecords({ venue, trader }: AtMiner): Promise<Records> {
  const [dashboard, book] = await Promise.all([venue.dashboard(trader), venue.orders(trader)]);
  return { dashboard, book };
}

/** Only complete reads can prove absence. An absent book means that the validator has no orders of the trader. */
export const wereAllRead = ({ dashboard, book }: Records): boolean =>
  dashboard.kind === 'found' && book.kind !== 'unreadable';

/** Whether the records are complete. A subaccount that the validator does not have shows nothing. */
export const mayProve = ({ dashboard, book }: Records): boolean =>
  dashboard.kind !== 'unreadable' && book.kind !== 'unreadable';

/**
 * Whether the book may be believed about an order that was placed once. A validator that has no book of the trader has lost
 * that order or never had it: believed only if the venue has also said so.
 */
export const canShowOrder = ({ book }: Records, said: Rejected | null): boolean =>
  book.kind === 'found' || (book.kind === 'absent' && said !== null);

/**
 * The uuids of an order at the network: a triggered stop-limit continues as a separate limit order, whose fill opens a
 * position of that uuid. See venues/network.md#execution-types.
 */
export const namesOf = (uuid: string): string[] => [uuid, `${uuid}${TRIGGERED}`];

const TRIGGERED = '-limit';

/** Whether the network has an order under the uuid of a triggered stop-limit. */
export const isTriggered = (name: string): boolean => name.endsWith(TRIGGERED);

/** The uuid under which an order was placed, by one of its uuids. */
export const placedAs = (name: string): string => (isTriggered(name) ? name.slice(0, -TRIGGERED.length) : name);

/**
 * What the records prove of an order; `none`: they do not show it. A fill outweighs every other record, so only both
 * prove that an order was cancelled or does not exist. `unread`: a record is missing that could show it, or show more.
 */
export function findProven(records: Records, uuid: string): VisibleResult | 'none' | 'unread' {
  const shown = findShown(records, uuid);
  if (shown?.order && shown.lifecycle !== 'cancelled') return shown;
  return mayProve(records) ? (shown ?? 'none') : 'unread';
}

/** Whether the records show an order. */
export const isShown = (proven: VisibleResult | 'none' | 'unread'): proven is VisibleResult =>
  typeof proven !== 'string';

/**
 * Finds an order in the records under any of its uuids. The network also lists an order as cancelled if only its exits
 * failed.
 */
function findShown(records: Records, uuid: string): VisibleResult | null {
  const names = new Set(namesOf(uuid));
  const { filled, resting, cancelled, positions } = groupsOf(records);
  const among = (orders: DashboardOrder[], lifecycle: Lifecycle): VisibleResult | null => {
    const order = orders.find((candidate) => names.has(candidate.uuid));
    return order ? { lifecycle, name: order.uuid, order, fills: lifecycle === 'filled' ? 1 : 0 } : null;
  };
  const amongFilled = (): VisibleResult | null => {
    const shown = filled.map((orders) => orders.filter((candidate) => names.has(candidate.uuid)));
    const [most = []] = shown.map(differing).sort((a, b) => b.length - a.length);
    const [first] = most;
    return first ? { lifecycle: 'filled', name: first.uuid, order: summed(first, most), fills: most.length } : null;
  };
  const opened = positions.find((position) => names.has(position.uuid)); // by its opening order
  return (
    amongFilled() ??
    (opened ? { lifecycle: 'filled' as const, name: opened.uuid, order: null, fills: 1 } : null) ??
    among(resting, 'resting') ??
    among(cancelled, 'cancelled')
  );
}

/** A source may list one fill twice: as an order of its position and as a resting order that was filled. */
const differing = (fills: DashboardOrder[]): DashboardOrder[] => [
  ...new Map(fills.map((fill) => [fill.processedMs, fill] as const)).values(),
];

/**
 * The fills of one uuid as one order: an attempt of the miner may have been filled although its acknowledgement was lost, and the next
 * one again. A size that one of them lacks is unknown; the price is the average.
 */
function summed(first: DashboardOrder, fills: DashboardOrder[]): DashboardOrder {
  if (fills.length === 1) return first;
  const sumOf = (size: 'quantity' | 'value' | 'leverage') =>
    fills.some((fill) => fill[size] === null)
      ? null
      : roundedNumber(fills.reduce((sum, fill) => sum + Number(fill[size]), 0));
  const quantity = sumOf('quantity');
  const isPriced = quantity !== null && quantity !== 0 && fills.every(({ price }) => price !== null);
  const paid = fills.reduce((sum, fill) => sum + Number(fill.quantity) * Number(fill.price), 0);
  const price = isPriced ? roundedNumber(paid / quantity) : first.price;
  return { ...first, quantity, value: sumOf('value'), leverage: sumOf('leverage'), price };
}

/** Each source of fills apart. A stop-limit that is listed as filled without a price was only triggered. */
function groupsOf({ dashboard, book }: Records) {
  const shown = dashboard.kind === 'found' ? dashboard.data : null;
  const listed = book.kind === 'found' ? book.data : { filled: [], unfilled: [], cancelled: [] };
  const positions = shown?.positions ?? [];
  return {
    positions,
    filled: [positions.flatMap(({ filledOrders }) => filledOrders), listed.filled].map((orders) =>
      orders.filter(({ executionType, price }) => executionType !== 'STOP_LIMIT' || price !== null),
    ),
    resting: [...(shown?.openOrders ?? []), ...listed.unfilled],
    cancelled: listed.cancelled,
  };
}
