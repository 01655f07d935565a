import { compare, minus, plus } from '../../kernel/decimals.ts';
import type { Fill } from './adapter/types.ts';

/** A fill, and the position before and after it. */
type Link = { fill: Fill; after: string };

/**
 * The fills of one coin in the order in which they happened. Times order them; within a millisecond each fill follows
 * the one that left its `startPosition`. Without one, the venue's order is kept.
 */
export function chained(fills: Fill[]): Fill[] {
  const ordered: Fill[] = [];
  let position: string | null = null;
  for (const sameMs of Map.groupBy(fills, ({ timeMs }) => timeMs).values()) {
    const links = sameMs.map((fill) => ({ fill, after: positionAfter(fill) }));
    position ??= firstOf(links);
    while (links.length > 0) {
      const [link] = links.splice(indexOf(links, position), 1);
      if (!link) break;
      ordered.push(link.fill);
      position = link.after;
    }
  }
  return ordered;
}

/** The signed position that a fill left, with the venue's float residue. */
export const positionAfter = ({ startPosition, side, size }: Fill): string =>
  side === 'buy' ? plus(startPosition, size) : minus(startPosition, size);

/** The position before a millisecond: one that no fill of it has left. */
function firstOf(links: Link[]): string | null {
  const left = new Set(links.map(({ after }) => after));
  return (links.find(({ fill }) => !left.has(fill.startPosition)) ?? links[0])?.fill.startPosition ?? null;
}

/** The index of the fill that starts from a position; 0 if there is none. */
const indexOf = (links: Link[], position: string | null): number =>
  Math.max(
    0,
    links.findIndex(({ fill }) => position !== null && compare(fill.startPosition, position) === 0),
  );
