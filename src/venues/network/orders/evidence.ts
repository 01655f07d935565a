import {
  type Accepted,
  accepted,
  type ReadResult,
  type Rejected,
  recordedRejection,
  type UnknownEffect,
  type UpstreamResult,
  unknownEffect,
} from '../../../kernel/upstream-result.ts';
import type { ArchivedOrder, Executed, Signal, SignalAccepted } from '../adapter/signal-types.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import type { AtMiner, Done, Found } from './outcome.ts';
import { protectionShown } from './protection.ts';
import { protectionWhenAccepted } from './rules.ts';
import {
  findProven,
  isShown,
  mayProve,
  type Records,
  readRecords,
  type VisibleResult,
  wereAllRead,
} from './venue-records.ts';

/** The finding that the network has no trace of the request. */
export const ABSENT = { kind: 'absent' } as const;

/**
 * Finds an order placed with the signal: on the validator's dashboard and in its book, and in the miner's archive. The
 * archive counts only if its record is of this placement: a later cancel or edit overwrites it.
 */
export async function findPlaced(at: AtMiner, signal: Signal, archived: ReadResult<ArchivedOrder>): Promise<Found> {
  const records = await readRecords(at);
  const record = recordOf(archived, signal);
  const shown = findProven(records, signal.order_uuid);
  const objection = record?.rejected ?? record?.said ?? null;
  if (isShown(shown) && !(shown.lifecycle === 'cancelled' && objection))
    return fromRecords(signal, shown, records, { accepted: record?.accepted ?? null, objection });
  if (record?.accepted && (record.accepted.executed?.price != null || wereAllRead(records)))
    return accepted({ ...record.accepted, protection: protectionWhenAccepted(signal) });
  if (record?.rejected) return recordedRejection(record.rejected);
  if (record?.said && mayProve(records)) return recordedRejection(record.said);
  return archived.kind !== 'unreadable' && wereAllRead(records) ? ABSENT : UNREAD;
}

/** The archived record, if it is of this placement. One that does not say whose it is proves nothing. */
const recordOf = (archived: ReadResult<ArchivedOrder>, { execution_type }: Signal): ArchivedOrder | null =>
  archived.kind === 'found' && archived.data.executionType === execution_type ? archived.data : null;

/**
 * The result of a placement that the venue rejected for reasons `said`. The miner has responded, so the request is no
 * longer in flight: an order that complete records do not show was rejected.
 */
export async function resolveRejection(at: AtMiner, signal: Signal, said: Rejected): Promise<UpstreamResult<Done>> {
  if (signal.execution_type === 'BRACKET' && said.slug === 'bracket_invalid') return said; // about itself, not its parent
  const records = await readRecords(at);
  const shown = findProven(records, signal.order_uuid);
  if (shown === 'unread') return UNREAD;
  return isShown(shown) && shown.lifecycle !== 'cancelled'
    ? fromRecords(signal, shown, records, { accepted: null, objection: said })
    : said;
}

/** What the network executed of an accepted market order whose response does not say it. */
export async function readExecution(
  at: AtMiner,
  signal: Signal,
  data: SignalAccepted,
): Promise<Accepted<Done> | UnknownEffect> {
  const records = await readRecords(at);
  const shown = findProven(records, signal.order_uuid);
  if (isShown(shown)) return fromRecords(signal, shown, records, { accepted: data, objection: null });
  return wereAllRead(records) ? accepted(data) : UNREAD;
}

/** The finding that a record is missing that could prove something. */
export const UNREAD = unknownEffect('not every record could be read');

const fromRecords = (
  signal: Signal,
  shown: VisibleResult,
  records: Records,
  { accepted: data, objection }: { accepted: SignalAccepted | null; objection: Rejected | null },
): Accepted<Done> | UnknownEffect => {
  const protection = protectionShown(signal, shown, records, objection && (objection.words ?? objection.message));
  if (!protection) return UNREAD;
  return accepted({
    ...(data ?? nothingExecuted),
    ...(protection.state === 'failed' && { note: EXITS_FAILED }),
    executed: (shown.lifecycle === 'filled' && shown.order ? executedBy(shown.order) : null) ?? data?.executed ?? null,
    lifecycle: shown.lifecycle,
    protection,
  });
};

const EXITS_FAILED = 'The order is filled, but its stop-loss or take-profit could not be placed; protect the position.';

/**
 * Finds whether an order has the terms of an edit, which may also have filled it or made the venue cancel it. `before`:
 * its terms when the signal was sent.
 */
export async function findEdited(at: AtMiner, signal: Signal, before: Partial<Signal>): Promise<Found> {
  const records = await readRecords(at);
  if (!mayProve(records) || records.book.kind !== 'found') return UNREAD; // only the book shows all terms
  const shown = findProven(records, signal.order_uuid);
  if (!isShown(shown)) return ABSENT; // its placement may still arrive
  const { lifecycle } = shown;
  const order = listedAs(shown, records) ?? (lifecycle === 'resting' ? null : shown.order);
  if (!order) return lifecycle === 'resting' ? UNREAD : WITHOUT_TERMS;
  if (hasTerms(order, signal, before))
    return accepted({ ...nothingExecuted, lifecycle, executed: lifecycle === 'filled' ? executedBy(order) : null });
  return lifecycle === 'resting' ? ABSENT : NOT_OPEN;
}

/** The order as the book lists it, with all its terms. */
function listedAs({ lifecycle, name }: VisibleResult, { book }: Records): DashboardOrder | null {
  if (book.kind !== 'found') return null;
  const { unfilled, filled, cancelled } = book.data;
  const orders = { resting: unfilled, filled, cancelled }[lifecycle];
  return orders.find(({ uuid }) => uuid === name) ?? null;
}

/** An order that ended without a record of its terms may have had those of the edit. */
const WITHOUT_TERMS = {
  kind: 'undecidable',
  problem: { code: 'V1_ORDER_NOT_RESTING', reason: 'order_not_found' },
} as const;
const NOT_OPEN = recordedRejection({ slug: 'order_not_found', message: 'Order is no longer open.' });

/** An acceptance without an execution. */
export const nothingExecuted: SignalAccepted = { executed: null, processingTimeS: null, note: null };

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
