import { carriesExits, type Exits, PLACED, type Protection, protectionWhenAccepted } from './rules.ts';
import type { Records, Shown } from './shown.ts';

const MISSING = 'The order is filled, but the network has no exits of it; protect the position.';

/**
 * The protection of an order that the records show. The exits of a filled order are named after it. `error`: what the
 * venue said about them, if anything. An order that was filled and whose position is closed needs none any more.
 */
export function protectionShown(order: Exits, shown: Shown, records: Records, error: string | null): Protection {
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
