import type {
  Dashboard,
  DashboardOrder,
  Executed,
  OrderBook,
  Signal,
  SignalAccepted,
} from '../../adapters/network/types.ts';
import type { Finding } from '../../intents/define.ts';
import { accepted, type ReadResult, recordedRejection, unknownEffect } from '../../kernel/upstream-result.ts';
import type { AtMiner } from './verb.ts';

type Found = Finding<SignalAccepted>;

/** The finding that the network has no trace of the request. */
export const ABSENT = { kind: 'absent' } as const;

/** Finds an order placed with `uuid`: in the miner's archive, then on the validator's dashboard and in its book. */
export async function findPlaced({ venue, trader }: AtMiner, uuid: string): Promise<Found> {
  const archived = await venue.orderStatus(uuid);
  if (archived.kind === 'found' && archived.data.accepted) return accepted(archived.data.accepted);
  const [dashboard, book] = await Promise.all([venue.dashboard(trader), venue.orders(trader)]);
  const order = findShown(dashboard, book, uuid);
  if (order) return accepted(order);
  if (archived.kind === 'found' && archived.data.rejected) return recordedRejection(archived.data.rejected);
  return archived.kind !== 'unreadable' && wereAllRead(dashboard, book)
    ? ABSENT
    : unknownEffect('not every record could be read');
}

/** Finds whether a resting order has the terms of the signal. `before`: its terms when the signal was sent. */
export async function findEdited({ venue, trader }: AtMiner, signal: Signal, before: Partial<Signal>): Promise<Found> {
  const book = await venue.orders(trader);
  if (book.kind !== 'found') return unknownEffect('the book could not be read');
  const order = book.data.unfilled.find(({ uuid }) => uuid === signal.order_uuid);
  if (order) return hasTerms(order, signal, before) ? accepted(nothingExecuted) : ABSENT;
  return recordedRejection({ slug: 'order_not_found', message: 'Order is no longer open.' });
}

/** An acceptance without an execution. */
export const nothingExecuted: SignalAccepted = { executed: null, processingTimeS: null, note: null };

/** How an order ended, from the validator's book; null if it still rests or the book could not be read. */
export function endOf(
  book: ReadResult<OrderBook>,
  uuid: string,
): { lifecycle: 'filled' | 'cancelled'; executed: Executed | null } | null {
  if (book.kind !== 'found') return null;
  const filled = book.data.filled.find((order) => order.uuid === uuid);
  if (filled) return { lifecycle: 'filled', executed: executedBy(filled) };
  const cancelled = book.data.cancelled.some((order) => order.uuid === uuid);
  return cancelled ? { lifecycle: 'cancelled', executed: null } : null;
}

function findShown(dashboard: ReadResult<Dashboard>, book: ReadResult<OrderBook>, uuid: string): SignalAccepted | null {
  const shown = dashboard.kind === 'found' ? dashboard.data : null;
  const orders = [
    ...(shown?.positions.flatMap(({ filledOrders }) => filledOrders) ?? []),
    ...(shown?.openOrders ?? []),
    ...(book.kind === 'found' ? [...book.data.filled, ...book.data.unfilled, ...book.data.cancelled] : []),
  ];
  const order = orders.find((candidate) => candidate.uuid === uuid);
  if (order) return { ...nothingExecuted, executed: executedBy(order) };
  const opened = shown?.positions.some((position) => position.uuid === uuid); // by its opening order
  return opened ? nothingExecuted : null;
}

/** Only complete reads can prove absence. An absent book means that the validator has no orders of the trader. */
const wereAllRead = (dashboard: ReadResult<Dashboard>, book: ReadResult<OrderBook>): boolean =>
  dashboard.kind === 'found' && book.kind !== 'unreadable';

/** What the network executed of an order. */
export const executedBy = ({ orderType, quantity, value, leverage, price }: DashboardOrder): Executed => ({
  order_type: orderType,
  quantity,
  value,
  leverage,
  price,
});

/**
 * Whether an order shows the changes of an edit. Sizes are compared only if nothing else changed, and only for having
 * changed at all: the venue reduces an order that exceeds a cap.
 */
function hasTerms(order: DashboardOrder, signal: Signal, before: Partial<Signal>): boolean {
  const expected = { ...signal, ...signal.bracket_orders?.find(({ order_uuid }) => order_uuid === signal.order_uuid) };
  const shown = shownTerms(order);
  const changed = SHOWN.filter((name) => expected[name] !== undefined && !same(expected[name], before[name]));
  if (changed.length > 0) return changed.every((name) => same(expected[name], shown[name]));
  const sizes = shownSizes(order);
  const isAt = (terms: Partial<Signal>) =>
    SIZES.some((size) => terms[size] !== undefined && near(terms[size], sizes[size]));
  return isAt(expected) || !isAt(before);
}

const SIZES = ['leverage', 'value', 'quantity'] as const;
const SHOWN = [
  'order_type',
  'limit_price',
  'stop_price',
  'stop_condition',
  'stop_loss',
  'take_profit',
  'trailing_stop',
] as const;

const shownTerms = (order: DashboardOrder): Record<(typeof SHOWN)[number], unknown> => ({
  order_type: order.orderType,
  limit_price: order.limitPrice,
  stop_price: order.stopPrice,
  stop_condition: order.stopCondition,
  stop_loss: order.stopLoss,
  take_profit: order.takeProfit,
  trailing_stop: order.trailingStop,
});

/** The validator reports the sizes of a SHORT as negative. */
const shownSizes = ({ leverage, value, quantity }: DashboardOrder) => ({
  leverage: Math.abs(leverage ?? 0),
  value: Math.abs(value ?? 0),
  quantity: Math.abs(quantity ?? 0),
});

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The venue computes sizes from each other, so they may differ in the last digits. */
const near = (request = 0, shown = 0) => Math.abs(request - shown) <= 1e-6 * request;
