import { absolute, compare, isPositive, isZero, plus } from '../../kernel/decimals.ts';
import type { Side } from '../../kernel/grid.ts';
import type { ExitKind } from './adapter/action-types.ts';
import type { OpenOrder, PerpPosition } from './adapter/types.ts';

/** An open position, or its side and coin alone. */
type OpenPosition = Pick<PerpPosition, 'coin' | 'size'>;

/** An order that protects a position. */
export type ProtectingExit = OpenOrder & { exit: ExitKind };

/** The side of orders that reduce a position of this signed size. */
export const closingSide = (size: string): Side => (isPositive(size) ? 'sell' : 'buy');

/**
 * Whether an open order protects a position: a reduce-only exit on its closing side that waits for the fill of no other
 * order. See venues/exchange.md#exits.
 */
export const isProtecting = (order: OpenOrder, { coin, side }: { coin: string; side: Side }): order is ProtectingExit =>
  order.coin === coin && order.side === side && order.reduceOnly && order.exit !== null && order.parentOid === null;

/**
 * The trigger price of a leg that protects a whole position, of several exits the one that is reached first. Null if the
 * exits of this leg cover only a part of the position.
 */
export function protectionOf(orders: OpenOrder[], { coin, size }: OpenPosition, leg: ExitKind): string | null {
  const side = closingSide(size);
  const exits = orders.filter((order) => isProtecting(order, { coin, side })).filter(({ exit }) => exit === leg);
  const followsAll = exits.some(({ followsPosition, size: exitSize }) => followsPosition || isZero(exitSize));
  const covered = exits.reduce((sum, exit) => plus(sum, exit.size), '0');
  if (!followsAll && compare(covered, absolute(size)) < 0) return null;
  const isLowestFirst = (leg === 'tp') === (side === 'sell');
  const prices = exits.flatMap(({ triggerPrice }) => triggerPrice ?? []);
  const [first] = prices.sort((a, b) => (isLowestFirst ? compare(a, b) : compare(b, a)));
  return first ?? null;
}
