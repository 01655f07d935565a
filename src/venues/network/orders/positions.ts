import type { Db } from '../../../db/pool.ts';
import type { NotReady } from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { roundedNumber } from '../../../kernel/decimals.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import type { Dashboard, DashboardOrder, DashboardPosition, Netvenue } from '../adapter/types.ts';
import { findFilledLately, type OrderWithExits } from './queries.ts';
import { samePair } from './rules.ts';
import { namesOf } from './venue-records.ts';

/**
 * What a trader has open in a pair. `position` is null only if it is proven that there is none, `brackets` if the orders that rest cannot
 * be read.
 */
export type OpenPosition = {
  position: DashboardPosition | null;
  brackets: DashboardOrder[] | null;
  dashboard: Dashboard;
};

/** Whether a position is open. */
export const isOpenPosition = ({ side, closeMs }: DashboardPosition): boolean => closeMs === null && side !== 'FLAT';

/**
 * Reads what is open in a pair; `unreadable` if the venue does not report it. A section that the dashboard lacks is empty
 * or failed internally; then the book shows resting orders, and only a book without a filled order in the pair proves
 * that nothing is open. A position that is shown is open, whatever another one lacks.
 */
export async function readOpenPosition(
  venue: Netvenue,
  trader: Hotkey,
  pair: string,
): Promise<OpenPosition | 'unreadable'> {
  const dashboard = await venue.dashboard(trader);
  if (dashboard.kind !== 'found') return 'unreadable';
  const shown = dashboard.data;
  const isKnown = shown.reported.positions || openIn(shown, pair) !== null;
  if (isKnown && shown.reported.orders) return heldOf(shown, pair);
  const book = await venue.orders(trader);
  if (book.kind === 'unreadable') return isKnown ? { ...heldOf(shown, pair), brackets: null } : 'unreadable';
  const { unfilled, filled } = book.kind === 'found' ? book.data : { unfilled: [], filled: [] };
  if (!isKnown && filled.some(({ tradePair }) => tradePair === null || samePair(tradePair, pair))) return 'unreadable';
  return heldOf(shown.reported.orders ? shown : { ...shown, openOrders: unfilled }, pair);
}

/**
 * Why a verb cannot be sent for a position that the network does not show. At once if it shows the end of the one that was opened last, or none was
 * opened lately; else its records contradict ours, as after a restart, and are read again until the deadline.
 */
export const withoutPosition = async (
  db: Db,
  { dashboard }: Pick<OpenPosition, 'dashboard'>,
  at: { trader: Hotkey; pair: string },
): Promise<NotReady> => ((await showsNewest(db, dashboard, at)) ? { fail: NO_POSITION } : { wait: NO_POSITION });

/** Whether the network shows the position of a pair that was opened last, open or ended. If none was opened within a day, it need not. */
export async function showsNewest(
  db: Db,
  { positions }: Pick<Dashboard, 'positions'>,
  { trader, pair }: { trader: Hotkey; pair: string },
): Promise<boolean> {
  const filled = await findFilledLately(db, trader, pair);
  return filled === null || positions.some(isFilledIn(filled));
}

/** Selects the positions that an order opened or was filled in. */
export const isFilledIn = ({ id, handle }: Pick<OrderWithExits, 'id' | 'handle'>) => {
  const names = new Set([...namesOf(id), handle]);
  return ({ uuid, filledOrders }: Pick<DashboardPosition, 'uuid' | 'filledOrders'>): boolean =>
    names.has(uuid) || filledOrders.some((order) => names.has(order.uuid));
};

const NO_POSITION: Problem = { code: 'V1_NO_POSITION' };

const heldOf = (dashboard: Dashboard, pair: string): OpenPosition => ({
  position: openIn(dashboard, pair),
  brackets: dashboard.openOrders.filter((order) => isBracketOn(order, pair)),
  dashboard,
});

/** The absolute quantity of a position; null if the venue reports no quantities. */
export function openQuantity({ filledOrders }: Pick<DashboardPosition, 'filledOrders'>): number | null {
  if (filledOrders.length === 0 || filledOrders.some(({ quantity }) => quantity === null)) return null;
  return Math.abs(roundedNumber(filledOrders.reduce((sum, { quantity }) => sum + Number(quantity), 0)));
}

const openIn = ({ positions }: Dashboard, pair: string) =>
  positions.find((position) => isOpenPosition(position) && samePair(position.tradePair, pair)) ?? null;

const isBracketOn = ({ executionType, tradePair }: DashboardOrder, pair: string) =>
  executionType === 'BRACKET' && tradePair !== null && samePair(tradePair, pair);
