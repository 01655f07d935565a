import { compare, nearest } from '../../../../kernel/decimals.ts';
import { isPerpetual } from '../../../../kernel/exchange-names.ts';
import type { Fill } from '../../adapter/types.ts';
import { FINEST_LOT, positionAfter } from '../../chain.ts';
import type { ChainEnd, LedgerEnd } from './queries.ts';

/** What is older than this before the end of the ledger was read. */
const OVERLAP_MS = 5_000;

/** `next`: executions that follow the recorded ones, as their positions are chained. `waiting`: those before which others are missing. */
type Links = { next: Fill[]; waiting: Fill[] };

/**
 * Of executions that were streamed, those that follow what is recorded: each starts from the position that the one before it has left.
 * So one that comes early, or after others were lost, waits for them. What is recorded already, or is older than the ledger, is in
 * neither list.
 */
export function linksOf(fills: readonly Fill[], { read_to_ms, ends }: LedgerEnd): Links {
  const links: Links = { next: [], waiting: [] };
  for (const [coin, ofCoin] of Map.groupBy(fills, (fill) => fill.coin)) {
    const end = ends.find((each) => each.coin === coin);
    const fromMs = end?.filled_ms ?? read_to_ms - OVERLAP_MS;
    const later = ofCoin.filter((fill) => fill.timeMs >= fromMs && !end?.newest.includes(nameOf(fill)));
    if (isPerpetual(coin)) link(later, end, links);
    else links.next.push(...later);
  }
  return links;
}

/** How an execution is named among those of its wallet. */
export const nameOf = ({ oid, tradeId }: Pick<Fill, 'oid' | 'tradeId'>): string => `${oid} ${tradeId}`;

/** Links executions of one coin in the order of their times, those of a millisecond by their positions, up to the first gap. */
function link(fills: Fill[], end: ChainEnd | undefined, { next, waiting }: Links): void {
  let position = end?.size ?? '0';
  const left = fills.toSorted((a, b) => a.timeMs - b.timeMs);
  for (let first = left[0]; first; first = left[0]) {
    const { timeMs } = first;
    const at = left.findIndex((fill) => fill.timeMs === timeMs && startsFrom(fill, position));
    if (at < 0) break;
    const [fill] = left.splice(at, 1);
    if (!fill) break;
    next.push(fill);
    position = nearest(positionAfter(fill), FINEST_LOT);
  }
  waiting.push(...left);
}

const startsFrom = ({ startPosition }: Fill, position: string): boolean =>
  compare(nearest(startPosition, FINEST_LOT), position) === 0;
