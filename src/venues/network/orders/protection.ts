import type { Executed } from '../adapter/signal-types.ts';
import type { DashboardOrder } from '../adapter/types.ts';
import { isOpenPosition } from './positions.ts';
import { carriesExits, type Exits, PLACED, type Protection, protectionWhenAccepted } from './rules.ts';
import { mayProve, type Records, type VisibleResult } from './venue-records.ts';

const MISSING = 'The order is filled, but the network has no exits of it; protect the position.';
const CANCELLED = 'The order is filled, but its exits were cancelled; protect the position.';

/**
 * The protection of an order that the records show; null if a record is missing that could show it. The exits of a filled
 * order are named after it. `error`: what the venue said about them, if anything. An order that was filled and whose
 * position is closed needs none any more.
 */
export function protectionShown(
  order: Exits,
  shown: Pick<VisibleResult, 'lifecycle' | 'name'>,
  records: Records,
  error: string | null,
): Protection | null {
  if (!carriesExits(order) || shown.lifecycle !== 'filled') return protectionWhenAccepted(order);
  const exits = exitsOf(shown.name, records);
  if (exits.live) return PLACED;
  if (!mayProve(records)) return null;
  if (error !== null && !exits.cancelled) return { state: 'failed', error };
  const isHeld = isHeldBy(shown.name, records);
  if (isHeld === null) return null;
  return isHeld ? { state: 'failed', error: exits.cancelled ? CANCELLED : MISSING } : PLACED;
}

/** Which exits of an order the records show: `live` ones rest or were executed. */
function exitsOf(name: string, { dashboard, book }: Records): { live: boolean; cancelled: boolean } {
  const listed = book.kind === 'found' ? book.data : { unfilled: [], filled: [], cancelled: [] };
  const resting = dashboard.kind === 'found' ? dashboard.data.openOrders : [];
  const isExit = ({ uuid }: DashboardOrder) => uuid.startsWith(`${name}-bracket-`);
  return {
    live: [...resting, ...listed.unfilled, ...listed.filled].some(isExit),
    cancelled: listed.cancelled.some(isExit),
  };
}

/** Whether an open position contains the order; null if no position is shown that does, and one is missing that may. */
function isHeldBy(name: string, { dashboard }: Records): boolean | null {
  if (dashboard.kind !== 'found') return false;
  const { positions, reported } = dashboard.data;
  const own = positions.filter(
    ({ uuid, filledOrders }) => uuid === name || filledOrders.some((order) => order.uuid === name),
  );
  if (own.some(isOpenPosition)) return true;
  return own.length > 0 || reported.positions ? false : null;
}

/** What the network executed of an order. */
export const executedBy = ({ orderType, quantity, value, leverage, price }: DashboardOrder): Executed => ({
  order_type: orderType,
  quantity,
  value,
  leverage,
  price,
});
