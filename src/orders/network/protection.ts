import type { Signal } from '../../adapters/network/types.ts';
import type { Protection } from './outcome.ts';
import type { Records, Shown } from './shown.ts';

/** Of a verb that carries no exits. */
export const NO_PROTECTION: Protection = { state: 'none', error: null };

/** Of exits that the venue accepted. */
export const PLACED: Protection = { state: 'placed', error: null };
const MISSING = 'The order is filled, but the network has no exits of it; protect the position.';

type Exits = Partial<Pick<Signal, 'stop_loss' | 'take_profit' | 'trailing_stop' | 'bracket_orders'>>;

/** Whether an order carries exits of its own. */
export const carriesExits = (order: Exits & { execution_type?: string }): boolean =>
  order.execution_type !== 'BRACKET' &&
  [order.stop_loss, order.take_profit, order.trailing_stop, order.bracket_orders].some((exit) => exit !== undefined);

/** The protection of an order that the venue accepted without an objection: its exits rest, or wait for its fill. */
export const protectionWhenAccepted = (order: Exits & { execution_type?: string }): Protection =>
  order.execution_type === 'BRACKET' || carriesExits(order) ? PLACED : NO_PROTECTION;

/**
 * The protection of an order that the records show. The exits of a filled order are named after it. `error`: what the
 * venue said about them, if anything. An order that was filled and whose position is closed needs none any more.
 */
export function protectionShown(
  order: Exits & { execution_type?: string },
  shown: Shown,
  records: Records,
  error: string | null,
): Protection {
  if (!carriesExits(order) || shown.lifecycle !== 'filled') return protectionWhenAccepted(order);
  if (hasExitsOf(shown.name, records)) return PLACED;
  if (error !== null) return { state: 'failed', error };
  return isHeldBy(shown.name, records) ? { state: 'failed', error: MISSING } : PLACED;
}

function hasExitsOf(name: string, { dashboard, book }: Records): boolean {
  const resting = dashboard.kind === 'found' ? dashboard.data.openOrders : [];
  const listed = book.kind === 'found' ? [...book.data.unfilled, ...book.data.filled, ...book.data.cancelled] : [];
  return [...resting, ...listed].some(({ uuid }) => uuid.startsWith(`${name}-bracket-`));
}

/** Whether an open position contains the order. */
function isHeldBy(name: string, { dashboard }: Records): boolean {
  if (dashboard.kind !== 'found') return false;
  return dashboard.data.positions.some(
    ({ closeMs, side, uuid, filledOrders }) =>
      closeMs === null && side !== 'FLAT' && (uuid === name || filledOrders.some((order) => order.uuid === name)),
  );
}
