import { minus, nearest, plus } from '../../kernel/decimals.ts';
import type { Fill } from './adapter/types.ts';

/** The decimals of positions, without the residue of the venue's doubles. See venues/exchange.md#precision: no perpetual has sizes with more. */
export const FINEST_LOT = 6;

/** A fill, and the position before and after it in whole lots. */
type Link = { fill: Fill; before: string; after: string };

/**
 * The fills of one coin in the order in which they happened. Times order them; within a millisecond each fill follows
 * the one that left its `startPosition`. Without one, the venue's order is kept.
 */
export const chained = (fills: Fill[]): Fill[] => [...chainOf(fills)];

/** The same one by one, for lists that may be long. `read` prepares each, when its millisecond is reached. */
export function* chainOf(fills: Fill[], read: (fill: Fill) => Fill = (fill) => fill): Generator<Fill> {
  let position: string | null = null;
  for (const sameMs of Map.groupBy(fills, ({ timeMs }) => timeMs).values()) {
    const links = sameMs.map((fill) => linkOf(read(fill)));
    while (links.length > 0) {
      const [link]: Link[] = links.splice(indexOf(links, position), 1);
      if (!link) break;
      yield link.fill;
      position = link.after;
    }
  }
}

const linkOf = (fill: Fill): Link => ({
  fill,
  before: nearest(fill.startPosition, FINEST_LOT),
  after: nearest(positionAfter(fill), FINEST_LOT),
});

/** The signed position that a fill left, with the venue's float residue. */
export const positionAfter = ({ startPosition, side, size }: Fill): string =>
  side === 'buy' ? plus(startPosition, size) : minus(startPosition, size);

/** The index of the fill that starts from a position; if none does, as after missing fills, that of the first of the millisecond. */
function indexOf(links: Link[], position: string | null): number {
  const next = links.findIndex(({ before }) => before === position);
  return next >= 0 ? next : Math.max(0, indexOfFirst(links));
}

/** The index of the first fill: it starts from a position that no fill of the millisecond left. */
function indexOfFirst(links: Link[]): number {
  const left = new Set(links.map(({ after }) => after));
  return links.findIndex(({ before }) => !left.has(before));
}
