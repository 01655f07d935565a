import type { Dashboard, OrderBook, Signal } from '../../adapters/network/types.ts';
import { accepted } from '../../kernel/upstream-result.ts';
import { ABSENT, executedBy, nothingExecuted, UNREAD } from './evidence.ts';
import { type AtMiner, type Found, onceEnded } from './outcome.ts';
import { isOpenPosition } from './positions.ts';
import { samePair } from './rules.ts';
import { readRecords } from './shown.ts';

/**
 * Finds whether a position is closed, and its closing order. A position that the validator no longer lists is closed. If
 * something else has closed it, a FLAT_ALL in flight could still cancel the account's exits.
 */
export async function findClosed(
  at: AtMiner,
  { position_uuid, ...sent }: { position_uuid: string; signal: Signal; since_ms: number | null },
): Promise<Found> {
  const { dashboard, book } = await readRecords(at);
  if (dashboard.kind !== 'found' || !dashboard.data.reported.positions) return UNREAD;
  const position = dashboard.data.positions.find(({ uuid }) => uuid === position_uuid);
  if (position && isOpenPosition(position)) return ABSENT;
  const last = position?.filledOrders.at(-1);
  const executed = last ? executedBy(last) : null;
  if (sent.signal.execution_type !== 'FLAT_ALL') return accepted({ ...nothingExecuted, executed });
  if (book.kind !== 'found') return UNREAD;
  const note = noteOfOthers(dashboard.data, book.data, sent.since_ms ?? 0);
  const closed = accepted({ ...nothingExecuted, note, executed });
  return last && !closesOf(position_uuid).includes(last.uuid) ? onceEnded(closed) : closed;
}

/** The uuids of the order by which FLAT_ALL closes a position: of newer and of older builds. Venue facts: derived ids. */
const closesOf = (positionUuid: string): string[] => [`${positionUuid}-flat-all`, [...positionUuid].reverse().join('')];

/** Tells that positions lost their exits since the close was sent. Null if none did. */
function noteOfOthers({ positions }: Dashboard, { cancelled }: OrderBook, sinceMs: number): string | null {
  const open = positions.filter(isOpenPosition).map(({ tradePair }) => tradePair);
  const lost = cancelled.filter(
    ({ executionType, processedMs }) => executionType === 'BRACKET' && (processedMs ?? sinceMs) >= sinceMs,
  );
  const pairs = new Set(open.filter((pair) => lost.some(({ tradePair }) => tradePair && samePair(tradePair, pair))));
  return pairs.size > 0 ? `Exits were cancelled meanwhile in ${[...pairs].join(', ')}; protect these positions.` : null;
}
