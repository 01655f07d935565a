import { accepted, type Rejected, recordedRejection, type UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { Bracket, Signal, UnprovenRejection } from '../adapter/signal-types.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import { resolveBy } from './calls.ts';
import { effectOn, type Subject } from './effects.ts';
import { ABSENT, type AtMiner, type Done, type Found, NO_BOOK, NOT_OPEN, nothingExecuted, UNREAD } from './outcome.ts';
import {
  canShowOrder,
  findProven,
  isShown,
  mayProve,
  type Records,
  readRecords,
  type VisibleResult,
} from './venue-records.ts';
import { trailingStopOf } from './wanted.ts';

/**
 * Finds whether an order has the terms of an edit, which may also have filled it or made the venue cancel it; `said` is the
 * venue's reason. `before`: its terms when the signal was sent.
 */
export async function findEdited(
  at: AtMiner,
  { signal, before, subject }: Edit,
  said: Rejected | null = null,
): Promise<Found> {
  const records = await readRecords(at);
  if (!mayProve(records)) return UNREAD; // only the book shows all terms
  if (!canShowOrder(records, said)) return NO_BOOK;
  const shown = findProven(records, signal.order_uuid);
  if (!isShown(shown)) return ABSENT; // its placement may still arrive
  const { lifecycle } = shown;
  const order = listedAs(shown, records) ?? (lifecycle === 'resting' ? null : shown.order);
  if (!order) return lifecycle === 'resting' ? UNREAD : WITHOUT_TERMS;
  const isDone = hasTerms(order, signal, before);
  if (isDone === null && lifecycle !== 'resting') return WITHOUT_TERMS;
  if (isDone && (lifecycle !== 'resting' || areOthersEdited(signal, before, records))) {
    const reason = said && NOT_OPEN.has(said.slug) ? null : said;
    const effect = effectOn(subject, records, { data: nothingExecuted, said: reason });
    return effect === null || effect === 'none' ? UNREAD : accepted(effect);
  }
  return lifecycle === 'resting' ? ABSENT : ENDED;
}

/** What an edit is looked up by: its signal, the terms of the order before it, and the order. */
export type Edit = { signal: Signal; before: Partial<Signal>; subject: Subject };

/**
 * The result of an edit whose rejection proves nothing by itself. An order that its new terms would have filled at once no
 * longer rests: it was filled, perhaps without its exits, or cancelled. It shows the new terms, unless the venue says
 * that it ended the order by this.
 */
export async function resolveEdit(at: AtMiner, edit: Edit, refusal: UnprovenRejection): Promise<UpstreamResult<Done>> {
  const { said, endedIt } = refusal;
  if (endedIt) {
    const effect = effectOn(edit.subject, await readRecords(at), { data: nothingExecuted, said });
    if (effect === null) return UNREAD;
    if (effect !== 'none' && effect.lifecycle !== 'resting') return accepted(effect);
  }
  return resolveBy((place) => findEdited(place, edit, said))(at, refusal);
}

/** The order as the book lists it, with all its terms. */
function listedAs({ lifecycle, name }: VisibleResult, { book }: Records): DashboardOrder | null {
  if (book.kind !== 'found') return null;
  const { unfilled, filled, cancelled } = book.data;
  const orders = { resting: unfilled, filled, cancelled, ended: [] }[lifecycle];
  return orders.find(({ uuid }) => uuid === name) ?? null;
}

/** An order that ended without a record of its terms may have had those of the edit. */
export const WITHOUT_TERMS = {
  kind: 'undecidable',
  problem: { code: 'V1_ORDER_NOT_RESTING', reason: 'order_not_found' },
} as const;
const ENDED = recordedRejection({ slug: 'order_not_found', message: 'Order is no longer open.' });

/**
 * Whether an order shows the changes of an edit. Entries of exits are compared if no other term changed, and sizes only if
 * nothing else did, and only for having changed at all: the venue reduces an order that exceeds a cap. Null: the edit changes
 * exits, and the record has none; that of an order that rests would list them.
 */
function hasTerms(order: DashboardOrder, signal: Signal, before: Partial<Signal>): boolean | null {
  const entry = signal.bracket_orders?.find(({ order_uuid }) => order_uuid === signal.order_uuid);
  if (entry) return isReplaced(order, entry, before);
  const shown = shownTerms(order);
  const changed = SHOWN.filter((name) => signal[name] !== undefined && !same(signal[name], before[name]));
  if (changed.length > 0) return changed.every((name) => same(signal[name], shown[name]));
  const entries = same(signal.bracket_orders, before.bracket_orders) ? undefined : signal.bracket_orders;
  if (entries) return hasExits(shownExits(order), entries);
  return isAt(order, signal) || !isAt(order, before);
}

/** Whether exits are those of their entry: it has all of them, and those that it leaves out end. A size that it leaves out stays. */
function isReplaced(order: DashboardOrder, entry: Bracket, before: Partial<Signal>): boolean {
  if (!hasOnly(order, entry)) return false;
  if (!hasSize(entry)) return true;
  return isAt(order, entry) || (hasSize(before) && !isAt(order, before));
}

/** Whether exits have the prices of an entry and no others. The stop of a trailing one moves with the market. */
function hasOnly({ stopLoss, takeProfit, trailingStop }: DashboardOrder, entry: Bracket): boolean {
  const trailing = trailingStopOf(entry);
  const isStopAt = (trailing !== null && entry.stop_loss === undefined) || stopLoss === (entry.stop_loss ?? null);
  return isStopAt && takeProfit === (entry.take_profit ?? null) && same(trailingStop, trailing);
}

/**
 * Whether the other exits that a signal names are edited too, if it changes no price of those it edits: others without a price no longer
 * rest. One that has ended by itself is none.
 */
function areOthersEdited(
  { bracket_orders = [], order_uuid }: Signal,
  before: Partial<Signal>,
  { book }: Records,
): boolean {
  const own = bracket_orders.find((entry) => entry.order_uuid === order_uuid);
  if (!own || book.kind !== 'found') return true;
  const { stop_loss, take_profit, trailing_stop } = before;
  const isChanged = !same(
    [own.stop_loss, own.take_profit, trailingStopOf(own)],
    [stop_loss, take_profit, trailing_stop ?? null],
  );
  return (
    isChanged ||
    bracket_orders.every((entry) => {
      const other = book.data.unfilled.find(({ uuid }) => uuid === entry.order_uuid && uuid !== order_uuid);
      return !other || (PRICES.some((name) => entry[name] !== undefined) && hasOnly(other, entry));
    })
  );
}

/** Whether an order has a size of these terms. */
const isAt = (order: DashboardOrder, terms: Partial<Record<Size, number>>): boolean =>
  SIZES.some((size) => terms[size] !== undefined && near(terms[size], shownSizes(order)[size]));

const hasSize = (terms: Partial<Record<Size, number>>): boolean => SIZES.some((size) => terms[size] !== undefined);

const SIZES = ['leverage', 'value', 'quantity'] as const;
type Size = (typeof SIZES)[number];
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

/** The exits that a record shows of an order: its entries, else its own prices. Null if it shows none. */
function shownExits({ brackets, stopLoss, takeProfit, trailingStop }: DashboardOrder): Bracket[] | null {
  if (brackets) return brackets;
  const own = {
    ...(stopLoss !== null && { stop_loss: stopLoss }),
    ...(takeProfit !== null && { take_profit: takeProfit }),
    ...trailingStop,
  };
  return Object.keys(own).length > 0 ? [own] : null;
}

/** Whether entries of exits are those of a signal. A size that the signal leaves open may be filled in. */
function hasExits(shown: Bracket[] | null, entries: Bracket[]): boolean | null {
  if (!shown) return null;
  const isShown = (entry: Bracket, n: number) =>
    PRICES.every((name) => entry[name] === shown[n]?.[name]) &&
    SIZES.every((name) => entry[name] === undefined || entry[name] === shown[n]?.[name]);
  return entries.length === shown.length && entries.every(isShown);
}

const PRICES = ['stop_loss', 'take_profit', 'trailing_percent', 'trailing_value'] as const;

/** The validator reports the sizes of a SHORT as negative. */
const shownSizes = ({ leverage, value, quantity }: DashboardOrder) => ({
  leverage: Math.abs(leverage ?? 0),
  value: Math.abs(value ?? 0),
  quantity: Math.abs(quantity ?? 0),
});

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The venue computes sizes from each other, so they may differ in the last digits. */
const near = (request = 0, shown = 0) => Math.abs(request - shown) <= 1e-6 * request;
