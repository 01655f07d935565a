import type {
  Dashboard,
  DashboardOrder,
  Executed,
  Netvenue,
  OrderBook,
  Signal,
  SignalAccepted,
} from '../adapters/netvenue/types.ts';
import type { Finding } from '../intents/carry-out.ts';
import { accepted, inDoubt, type Lookup, rejected } from '../kernel/answer.ts';

type Found = Finding<SignalAccepted>;
type About = { venue: Netvenue; trader: string };

const ABSENT = { kind: 'absent' } as const;

/** Looks for an order placed under `uuid`: in the miner's archive, then on the validator's dashboard and in its book. */
export async function findPlaced({ venue, trader }: About, uuid: string): Promise<Found> {
  const archived = await venue.orderStatus(uuid);
  if (archived.kind === 'found' && archived.said.accepted) return accepted(archived.said.accepted);
  const [dashboard, book] = await Promise.all([venue.dashboard(trader), venue.orders(trader)]);
  const order = seen(dashboard, book, uuid);
  if (order) return accepted(order);
  if (archived.kind === 'found' && archived.said.refused) return archived.said.refused;
  return archived.kind !== 'unreadable' && sawEverything(dashboard, book)
    ? ABSENT
    : inDoubt('not every record could be read');
}

/** Looks whether a resting order is gone, and if so whether it was cancelled or filled. */
export async function findCancelled({ venue, trader }: About, target: string): Promise<Found> {
  const book = await venue.orders(trader);
  if (book.kind !== 'found') return inDoubt('the book could not be read');
  const holds = (orders: DashboardOrder[]) => orders.some(({ uuid }) => uuid === target);
  if (holds(book.said.cancelled)) return accepted(nothingExecuted);
  if (holds(book.said.filled)) return rejected('order_filled', 'The order was filled before it could be cancelled.');
  return ABSENT;
}

/** Looks whether a resting order stands as the signal wanted it. `before` is how it stood when the signal was sent. */
export async function findEdited({ venue, trader }: About, signal: Signal, before: Partial<Signal>): Promise<Found> {
  const book = await venue.orders(trader);
  if (book.kind !== 'found') return inDoubt('the book could not be read');
  const order = book.said.unfilled.find(({ uuid }) => uuid === signal.order_uuid);
  if (order) return standsAs(order, signal, before) ? accepted(nothingExecuted) : ABSENT;
  return rejected('order_not_found', 'The order rests no longer.');
}

/** Looks whether a position is closed, and at what. A position the validator lists no more is closed. */
export async function findClosed({ venue, trader }: About, positionUuid: string): Promise<Found> {
  const dashboard = await venue.dashboard(trader);
  if (dashboard.kind !== 'found' || !dashboard.said.reported.positions)
    return inDoubt('the positions could not be read');
  const position = dashboard.said.positions.find(({ uuid }) => uuid === positionUuid);
  if (!position) return accepted(nothingExecuted);
  if (position.closeMs === null && position.side !== 'FLAT') return ABSENT;
  const last = position.filledOrders.at(-1);
  return accepted({ ...nothingExecuted, executed: last ? executedBy(last) : null });
}

const nothingExecuted: SignalAccepted = { executed: null, processingTimeS: null, note: null };

/** What an order has become, from the validator's book; null while it rests or when the book cannot be read. */
export function ended(
  book: Lookup<OrderBook>,
  uuid: string,
): { lifecycle: 'filled' | 'cancelled'; executed: Executed | null } | null {
  if (book.kind !== 'found') return null;
  const filled = book.said.filled.find((order) => order.uuid === uuid);
  if (filled) return { lifecycle: 'filled', executed: executedBy(filled) };
  const cancelled = book.said.cancelled.some((order) => order.uuid === uuid);
  return cancelled ? { lifecycle: 'cancelled', executed: null } : null;
}

function seen(dashboard: Lookup<Dashboard>, book: Lookup<OrderBook>, uuid: string): SignalAccepted | null {
  const shown = dashboard.kind === 'found' ? dashboard.said : null;
  const orders = [
    ...(shown?.positions.flatMap(({ filledOrders }) => filledOrders) ?? []),
    ...(shown?.openOrders ?? []),
    ...(book.kind === 'found' ? [...book.said.filled, ...book.said.unfilled, ...book.said.cancelled] : []),
  ];
  const order = orders.find((candidate) => candidate.uuid === uuid);
  if (order) return { ...nothingExecuted, executed: executedBy(order) };
  const opened = shown?.positions.some((position) => position.uuid === uuid); // a position bears the uuid of its opening order
  return opened ? nothingExecuted : null;
}

/** Only what was read in full can prove absence. A book that is absent is the validator's word for "none at all". */
const sawEverything = (dashboard: Lookup<Dashboard>, book: Lookup<OrderBook>): boolean =>
  dashboard.kind === 'found' && book.kind !== 'unreadable';

const executedBy = ({ orderType, quantity, value, leverage, price }: DashboardOrder): Executed => ({
  order_type: orderType,
  quantity,
  value,
  leverage,
  price,
});

/**
 * Whether an order shows what an edit changed. Sizes count only where nothing else was changed, and only for having moved: the
 * venue makes an order over a cap smaller than it was asked.
 */
function standsAs(order: DashboardOrder, signal: Signal, before: Partial<Signal>): boolean {
  const wanted = { ...signal, ...signal.bracket_orders?.find(({ order_uuid }) => order_uuid === signal.order_uuid) };
  const shown = shownTerms(order);
  const changed = SHOWN.filter((name) => wanted[name] !== undefined && !same(wanted[name], before[name]));
  if (changed.length > 0) return changed.every((name) => same(wanted[name], shown[name]));
  const sizes = shownSizes(order);
  const isAt = (terms: Partial<Signal>) =>
    SIZES.some((size) => terms[size] !== undefined && near(terms[size], sizes[size]));
  return isAt(wanted) || !isAt(before);
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

/** The validator keeps the sizes of a SHORT negative. */
const shownSizes = ({ leverage, value, quantity }: DashboardOrder) => ({
  leverage: Math.abs(leverage ?? 0),
  value: Math.abs(value ?? 0),
  quantity: Math.abs(quantity ?? 0),
});

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Sizes are computed from one another at the venue: their last digits are noise. */
const near = (asked = 0, shown = 0) => Math.abs(asked - shown) <= 1e-6 * asked;
