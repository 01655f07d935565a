import type { Dashboard, DashboardOrder, DashboardPosition, Netvenue } from '../adapters/netvenue/types.ts';
import type { Lookup } from '../kernel/answer.ts';
import { samePair } from './rules.ts';

/** What a trader has open in a pair. `position` is null only on proof that there is none. */
export type Held = { position: DashboardPosition | null; brackets: DashboardOrder[] };

/**
 * Reads what is open in a pair; `unreadable` when the venue did not say. A dashboard without its section of positions may be one
 * of an empty account or one that failed inside: then only a book without a filled order in the pair proves that nothing is open.
 */
export async function readHeld(venue: Netvenue, trader: string, pair: string): Promise<Held | 'unreadable'> {
  const dashboard = await venue.dashboard(trader);
  if (dashboard.kind !== 'found') return 'unreadable';
  const brackets = dashboard.said.openOrders.filter((order) => isBracketOn(order, pair));
  if (dashboard.said.reported.positions) return { position: openIn(dashboard.said, pair), brackets };
  return nothingFilled(await venue.orders(trader), pair) ? { position: null, brackets } : 'unreadable';
}

/** How much of its pair a position holds, without its sign; null where the venue shows no sizes. */
export function heldQuantity({ filledOrders }: Pick<DashboardPosition, 'filledOrders'>): number | null {
  if (filledOrders.length === 0 || filledOrders.some(({ quantity }) => quantity === null)) return null;
  return Math.abs(filledOrders.reduce((sum, { quantity }) => sum + Number(quantity), 0));
}

const openIn = ({ positions }: Dashboard, pair: string) =>
  positions.find(({ side, closeMs, tradePair }) => closeMs === null && side !== 'FLAT' && samePair(tradePair, pair)) ??
  null;

const isBracketOn = ({ executionType, tradePair }: DashboardOrder, pair: string) =>
  executionType === 'BRACKET' && tradePair !== null && samePair(tradePair, pair);

function nothingFilled(book: Lookup<{ filled: DashboardOrder[] }>, pair: string): boolean {
  if (book.kind === 'absent') return true;
  if (book.kind === 'unreadable') return false;
  return !book.said.filled.some(({ tradePair }) => tradePair === null || samePair(tradePair, pair));
}
