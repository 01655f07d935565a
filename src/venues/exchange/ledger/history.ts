import type { Db } from '../../../db/pool.ts';
import { epochMs } from '../../../kernel/work.ts';
import { requireFound } from '../../found.ts';
import type { FillSpan, VenueReads } from '../../reads.ts';
import type { Fill } from '../adapter/types.ts';
import { findLedger, listRecordedFills } from './queries.ts';

type Deps = { db: Db; reads: Pick<VenueReads, 'fills'> };

/** The exchange is read for so long before the newest recorded execution too. */
const OVERLAP_MS = 5_000;

/**
 * The executions of a wallet in a span, each once, oldest first: the recorded ones, and those that the exchange lists before the
 * ledger begins and after the newest recorded one. So a long history costs one short read. Throws VENUE_UNREADABLE if one
 * of these parts cannot be read: a history is never shown in part.
 */
export async function readFills({ db, reads }: Deps, span: FillSpan): Promise<Fill[]> {
  const { wallet, fromMs, toMs } = span;
  const ledger = await findLedger(db, wallet);
  if (!ledger) return requireFound(await reads.fills(span));
  const [first, last] = [ledger.complete_from_ms, ledger.read_to_ms - OVERLAP_MS];
  const listed = async (from: number, to: number | null) =>
    requireFound(await reads.fills({ wallet, fromMs: from, toMs: to }));
  const end = toMs ?? epochMs() + AHEAD_MS;
  const [earlier, recorded, newer] = await Promise.all([
    fromMs < first ? listed(fromMs, Math.min(first, end)) : [],
    end >= first ? listRecordedFills(db, wallet, Math.max(fromMs, first), end) : [],
    end > last ? listed(Math.max(last, first), null) : [],
  ]);
  const known = new Map<string, Fill>();
  for (const fill of [...earlier, ...recorded, ...newer])
    if (fill.timeMs >= fromMs && fill.timeMs <= end && !known.has(nameOf(fill))) known.set(nameOf(fill), fill);
  return [...known.values()].sort((a, b) => a.timeMs - b.timeMs);
}

/** How far the venue's clock may be ahead of ours. */
const AHEAD_MS = 60_000;

const nameOf = ({ oid, tradeId, timeMs, startPosition }: Fill) => `${oid} ${tradeId ?? `${timeMs} ${startPosition}`}`;
