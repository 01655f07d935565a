import type { Db } from '../../../db/pool.ts';
import { isZero, nearest } from '../../../kernel/decimals.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import { requireFound } from '../../found.ts';
import type { FillSpan, VenueReads } from '../../reads.ts';
import type { Fill } from '../adapter/types.ts';
import { FINEST_LOT } from '../chain.ts';
import { findLedger, listFillsOfOrders, listFillsSinceFlat, listRecordedFills } from './queries.ts';

type Deps = { db: Db; reads: Pick<VenueReads, 'fills'> };

/** Reads overlap the recorded executions by this much. */
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
  return merged([...earlier, ...recorded, ...newer].filter(({ timeMs }) => timeMs >= fromMs && timeMs <= end));
}

/** How far around a span the exchange is searched for executions of its orders, for a wallet without a ledger. */
const AROUND_MS = 86_400_000;

/**
 * The executions of the orders that were executed in a span, also those before and after it, each once, oldest first. Throws as
 * `readFills` does.
 */
export async function readFillsOfOrders(deps: Deps, span: FillSpan): Promise<Fill[]> {
  const { wallet, fromMs, toMs } = span;
  if (!(await findLedger(deps.db, wallet)))
    return readFills(deps, { wallet, fromMs: Math.max(0, fromMs - AROUND_MS), toMs: toMs && toMs + AROUND_MS });
  const within = await readFills(deps, span);
  const oids = new Set(within.map(({ oid }) => oid));
  return merged([...(await listFillsOfOrders(deps.db, wallet, [...oids])), ...within]);
}

/**
 * Executions, with the recorded earlier ones of each coin back to the opening of its position. For a wallet without a ledger the earlier ones are not
 * known.
 */
export async function withOpenings(
  { db }: Pick<Deps, 'db'>,
  wallet: WalletAddress,
  fills: readonly Fill[],
): Promise<Fill[]> {
  const firsts = [...Map.groupBy(fills, ({ coin }) => coin).values()].flatMap(([first]) => first ?? []);
  const found = firsts.filter(({ startPosition }) => !isZero(nearest(startPosition, FINEST_LOT)));
  const earlier = await Promise.all(found.map(({ coin, timeMs }) => listFillsSinceFlat(db, wallet, coin, timeMs)));
  return [...earlier.flat(), ...fills];
}

/** Every execution once, oldest first; those of one millisecond in the given order. */
function merged(fills: readonly Fill[]): Fill[] {
  const known = new Map<string, Fill>();
  for (const fill of fills) if (!known.has(nameOf(fill))) known.set(nameOf(fill), fill);
  return [...known.values()].sort((a, b) => a.timeMs - b.timeMs);
}

/** How far the venue's clock may be ahead of ours. */
const AHEAD_MS = 60_000;

const nameOf = ({ oid, tradeId, timeMs, startPosition }: Fill) => `${oid} ${tradeId ?? `${timeMs} ${startPosition}`}`;
