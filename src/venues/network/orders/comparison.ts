import { ofNumber } from '../../../kernel/decimals.ts';
import type { OrderUuid } from '../../../kernel/ids.ts';
import type { Compared, Comparison, Exits, ProtectionReason, WantedEntry } from '../../exits.ts';
import type { DashboardOrder, DashboardPosition } from '../adapter/types.ts';
import { isHeld } from './effects.ts';
import { isFilledIn, isOpenPosition, openQuantity } from './positions.ts';
import type { OrderWithExits } from './queries.ts';
import { samePair } from './rules.ts';
import { namesOf, type Records, wereAllRead } from './venue-records.ts';
import { liveExits } from './wanted.ts';

/** The exits that are wanted in a pair, and the orders whose they are. */
export type PairExits = {
  pair: string;
  entries: readonly WantedEntry[];
  orders: ReadonlyMap<OrderUuid, OrderWithExits>;
};

/**
 * Compares what is wanted in a pair with the brackets that the network holds. Null: a record is missing that could show them. That no position
 * is open is certain if one of the pair is shown to have ended, unless another was opened since.
 */
export function compareExits({ pair, entries, orders }: PairExits, records: Records): Compared | null {
  const held = isHeld(records, pair);
  if (held === null || !wereAllRead(records)) return null;
  const shown = showing(records, pair);
  const open = entries.filter((entry) => !isExecuted(entry, entries, orders, shown.executed));
  const due = open.filter(({ waits }) => !waits);
  const live = shown.live.map(liveExits);
  const none = { side: null, size: null, live, message: null };
  if (!held)
    return {
      comparison: { ...none, state: 'closed', reason: 'position_closed' },
      wanted: open.filter(({ waits }) => waits),
      missing: [],
      isCertain: hasEnded(records, pair),
    };
  const unmet = withoutBracket(due, orders, shown.live);
  const missing = unmet.filter((entry) => !wasOfEarlier(orders.get(entry.order_uuid), shown));
  const wanted = open.filter((entry) => missing.includes(entry) || !unmet.includes(entry));
  const about = { ...none, ...sizeOf(shown.position) };
  const protectedNow = { ...about, state: 'protected' as const };
  const [first] = missing;
  if (!first) {
    const reason = wanted.some(({ waits }) => !waits) ? ('exits_live' as const) : ('exits_withdrawn' as const);
    return { comparison: { ...protectedNow, reason }, wanted, missing, isCertain: false };
  }
  const why = missing.map((entry) => whyMissing(orders.get(entry.order_uuid), shown.cancelled, records));
  return {
    comparison: { ...about, state: 'unprotected', ...(why[0] ?? { reason: 'exits_missing', message: null }) },
    wanted,
    missing,
    isCertain: why.every(({ reason }) => reason !== 'exits_missing'),
  };
}

/** Whether the records show a position of a pair that has ended. */
const hasEnded = ({ dashboard }: Records, pair: string): boolean =>
  dashboard.kind === 'found' &&
  dashboard.data.positions.some((one) => !isOpenPosition(one) && samePair(one.tradePair, pair));

/** What the records show in a pair: the open position, the exits that rest, those that were executed, and those that were cancelled. */
function showing({ dashboard, book }: Records, pair: string) {
  const listed = book.kind === 'found' ? book.data : { unfilled: [], filled: [], cancelled: [] };
  const shown = dashboard.kind === 'found' ? dashboard.data : null;
  const isExit = ({ executionType, tradePair }: DashboardOrder) =>
    executionType === 'BRACKET' && tradePair !== null && samePair(tradePair, pair);
  const resting = [...(shown?.openOrders ?? []), ...listed.unfilled].filter(isExit);
  const filled = [...(shown?.positions ?? []).flatMap(({ filledOrders }) => filledOrders), ...listed.filled];
  return {
    position: shown?.positions.find((one) => isOpenPosition(one) && samePair(one.tradePair, pair)) ?? null,
    past: (shown?.positions ?? []).filter((one) => !isOpenPosition(one)),
    live: [...new Map(resting.map((order) => [order.uuid, order])).values()],
    executed: [...new Map(filled.map((order) => [order.uuid, order])).values()],
    cancelled: listed.cancelled,
  };
}

/** Whether the exits of an entry were executed. Exits of one order are distinguished by their prices. */
function isExecuted(
  entry: WantedEntry,
  entries: readonly WantedEntry[],
  orders: PairExits['orders'],
  executed: readonly DashboardOrder[],
): boolean {
  const own = executed.filter(({ uuid }) => isExitOf(uuid, orders.get(entry.order_uuid)));
  const isAlone = entries.filter(({ order_uuid }) => order_uuid === entry.order_uuid).length === 1;
  return own.some((order) => isAlone || hasPrices(liveExits(order), entry));
}

/** Whether the network's uuid names exits of an order: the order itself, if it is exits, or what it carries. */
function isExitOf(uuid: string, order: OrderWithExits | undefined): boolean {
  if (!order) return false;
  if (order.terms.execution_type === 'BRACKET') return uuid === order.handle;
  return [...namesOf(order.id), order.handle].some((name) => uuid.startsWith(`${name}-bracket-`));
}

/** The entries that no bracket covers. Each bracket covers one, those of its own order first. */
function withoutBracket(due: readonly WantedEntry[], orders: PairExits['orders'], live: readonly DashboardOrder[]) {
  const free = new Set(live);
  const isCovered = (entry: WantedEntry, isOwn: boolean): boolean => {
    const bracket = [...free].find(
      (one) => (!isOwn || isExitOf(one.uuid, orders.get(entry.order_uuid))) && hasPrices(liveExits(one), entry),
    );
    return bracket !== undefined && free.delete(bracket);
  };
  return due.filter((entry) => !isCovered(entry, true)).filter((entry) => !isCovered(entry, false));
}

type OfPair = Pick<ReturnType<typeof showing>, 'position' | 'past' | 'cancelled'>;

/**
 * Whether exits of an order that do not live were those of an earlier position of the pair: the network cancelled them before the open one was
 * opened, or never created them, because the order closed its position.
 */
function wasOfEarlier(order: OrderWithExits | undefined, { position, past, cancelled }: OfPair): boolean {
  if (order && past.some(isFilledIn(order)) && !(position && isFilledIn(order)(position))) return true;
  const openMs = position?.openMs ?? null;
  const own = cancelled.filter(({ uuid }) => isExitOf(uuid, order));
  return (
    openMs !== null && own.length > 0 && own.every(({ processedMs }) => processedMs !== null && processedMs < openMs)
  );
}

/** Whether exits have every price that is wanted. The stop of a trailing one moves with the market. */
export function hasPrices(live: Exits, wanted: Exits): boolean {
  const isTrailing = wanted.trailing_stop !== null;
  if (isTrailing && JSON.stringify(live.trailing_stop) !== JSON.stringify(wanted.trailing_stop)) return false;
  const has = (leg: 'take_profit' | 'stop_loss') => wanted[leg] === null || live[leg] === wanted[leg];
  return has('take_profit') && (isTrailing || has('stop_loss'));
}

const sizeOf = (position: DashboardPosition | null): Pick<Comparison, 'side' | 'size'> => {
  const quantity = position && openQuantity(position);
  return {
    side: position === null || position.side === 'FLAT' ? null : position.side === 'LONG' ? 'long' : 'short',
    size: quantity === null ? null : ofNumber(quantity),
  };
};

const ELIMINATED = 'The account was eliminated, and the network cancelled its exits.';
const CANCELLED = 'The network cancelled the exits; protect the position.';
const MISSING = 'The network has no such exits; protect the position.';

/** Why an order's exits do not live: by what the venue said of them, or by its records. */
function whyMissing(
  order: OrderWithExits | undefined,
  cancelled: readonly DashboardOrder[],
  { dashboard }: Records,
): { reason: ProtectionReason; message: string } {
  const said = order?.protection?.state === 'failed' ? order.protection.error : null;
  if (cancelled.some(({ uuid }) => isExitOf(uuid, order)))
    return { reason: 'exits_cancelled', message: said ?? CANCELLED };
  if (dashboard.kind === 'found' && dashboard.data.elimination !== null)
    return { reason: 'exits_cancelled', message: ELIMINATED };
  return said === null ? { reason: 'exits_missing', message: MISSING } : { reason: 'exits_rejected', message: said };
}
