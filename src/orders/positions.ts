import type { Dashboard, DashboardOrder, DashboardPosition } from '../adapters/netvenue/types.ts';
import type { Lookup } from '../kernel/answer.ts';
import { samePair } from './rules.ts';

/** The open position in a pair, null when there is none; `unreadable` when the venue did not say. */
export function openPosition(dashboard: Lookup<Dashboard>, pair: string): DashboardPosition | null | 'unreadable' {
  if (dashboard.kind !== 'found' || !dashboard.said.reported.positions) return 'unreadable';
  const isOpen = ({ side, closeMs }: DashboardPosition) => closeMs === null && side !== 'FLAT';
  return dashboard.said.positions.find((position) => samePair(position.tradePair, pair) && isOpen(position)) ?? null;
}

/** The protecting orders that rest on a pair. A dashboard without the section has none: it is left out when it is empty. */
export function openBrackets(dashboard: Lookup<Dashboard>, pair: string): DashboardOrder[] | 'unreadable' {
  if (dashboard.kind !== 'found') return 'unreadable';
  return dashboard.said.openOrders.filter(
    ({ executionType, tradePair }) => executionType === 'BRACKET' && tradePair !== null && samePair(tradePair, pair),
  );
}
