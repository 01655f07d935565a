import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineIntent, type SentRequest } from '../../../intents/define.ts';
import { retryOrFail, succeed } from '../../../intents/settle.ts';
import { throwUnsent } from '../../../intents/unsent.ts';
import type { Hotkey } from '../../../kernel/ids.ts';
import {
  accepted,
  acknowledged,
  type ReadResult,
  type Rejected,
  type UpstreamResult,
  unreachable,
} from '../../../kernel/upstream-result.ts';
import type { Signal } from '../adapter/signal-types.ts';
import type { Dashboard, DashboardOrder, OrderBook, TradePair } from '../adapter/types.ts';
import * as network from './calls.ts';
import { type CloseStyle, closesByUuid } from './close-style.ts';
import { ABSENT, type AtMiner, type Done, type Found, nothingExecuted, onceEnded, UNREAD } from './outcome.ts';
import { isOpenPosition, readOpenPosition, withoutPosition } from './positions.ts';
import { executedBy } from './protection.ts';
import { hasOthersUnderWay } from './queries.ts';
import { samePair, sameUuid } from './rules.ts';
import { readRecords } from './venue-records.ts';

/** The miner accepts a close after the validator has executed it, or failed to: then reads show which. */
const READABLE_AFTER_MS = 5_000;

type Deps = network.Deps & {
  config: { NETVENUE_CLOSE_STYLE: CloseStyle };
  reads: { tradePairs(): Promise<ReadResult<TradePair[]>> };
};

/**
 * Closes the position that is open in a pair when the intent is executed; with `position_uuid` only that position. The
 * venue does not report failures of single closes, so its acceptance proves nothing: an acceptance is reconciled at
 * once.
 */
export const close = defineIntent({
  kind: 'network/close',
  retention: 'alone',
  claimed: 'to_send',
  isExit: true,
  request: z.object({ ...network.traderMembers, trade_pair: z.string(), position_uuid: z.string().optional() }),
  payload: z.object({ signal: network.signal, position_uuid: z.string(), since_ms: z.number().nullable() }),
  timing: network.timing,
  slot: network.slotOfExit,

  async prepare({ id, lane, attempts, request }, deps: Deps) {
    const { trader, trade_pair, subaccount_id, position_uuid: only } = request;
    const [held, pairs, others] = await Promise.all([
      readOpenPosition(deps.venues.netvenue, trader, trade_pair),
      deps.reads.tradePairs(),
      hasOthersUnderWay(deps.db, trader, lane),
    ]);
    if (held === 'unreadable') return { wait: { code: 'VENUE_UNREACHABLE' } };
    const { position } = held;
    if (position === null) return withoutPosition(deps.db, held, { trader, pair: trade_pair });
    if (only !== undefined && !sameUuid(position.uuid, only)) return { fail: { code: 'V1_NO_POSITION' } };
    const common = { subaccount_id, trade_pair };
    const style = deps.config.NETVENUE_CLOSE_STYLE;
    const touches = others || held.brackets === null || mayTouchOthers(style, held.dashboard, { pairs, trade_pair });
    const signal: Signal = touches
      ? { ...common, execution_type: 'MARKET', order_type: 'FLAT', order_uuid: attempts > 1 ? randomUUID() : id }
      : { ...common, execution_type: 'FLAT_ALL', order_uuid: position.uuid };
    return { send: { signal, position_uuid: position.uuid, since_ms: held.dashboard.atMs } };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    if (await isOvertaken(sent, deps).catch(throwUnsent))
      return unreachable('another order of the account is under way');
    const find = (at: AtMiner) => findClosed(at, sent.payload);
    const result = await network.sendSignal(sent, deps, limits, network.resolveBy(find));
    return result.kind === 'accepted' ? acknowledged('an acceptance does not prove that it closed') : result;
  },

  reconcile: (sent, deps) => network.reconcileAt(sent, deps, (at) => findClosed(at, sent.payload), READABLE_AFTER_MS),

  async record({ intent }, result, deps) {
    if (result.kind === 'rejected' && result.slug === 'cooldown') return waitOut(deps, intent, result);
    if (result.kind !== 'accepted') return network.recordOtherwise(deps, intent, result);
    return succeed(deps.db, intent, network.resultOf(intent.id, result.data));
  },
});

/**
 * Whether FLAT_ALL could touch more than the position. It could if the account has any order in another pair, because
 * the newest builds cancel all exits, also those of an order that is filled meanwhile; and if the account has another
 * position, or one that cannot be read, on a build that is not known to close by uuid. `flat_all` counts as known where
 * the registry cannot be read.
 */
export function mayTouchOthers(
  style: CloseStyle,
  { positions, openOrders, reported }: Pick<Dashboard, 'positions' | 'openOrders' | 'reported'>,
  { pairs, trade_pair }: { pairs: ReadResult<TradePair[]>; trade_pair: string },
): boolean {
  const isElsewhere = ({ tradePair }: { tradePair: string | null }) =>
    tradePair === null || !samePair(tradePair, trade_pair);
  if (style === 'market_flat' || openOrders.some(isElsewhere)) return true;
  if (closesByUuid(pairs) || (style === 'flat_all' && pairs.kind !== 'found')) return false;
  return !reported.positions || positions.some((position) => isOpenPosition(position) && isElsewhere(position));
}

/** The venue did nothing: the close is sent again after its pause, under a new uuid, within the deadline, unless it is in doubt. */
const waitOut = ({ db }: Deps, intent: Parameters<typeof retryOrFail>[1], { message, retryAfterS = 1 }: Rejected) =>
  retryOrFail(db, intent, retryAfterS * 1_000, { code: 'VENUE_COOLDOWN', message, retry_after_s: retryAfterS });

/**
 * Whether an order that may place exits was accepted before this FLAT_ALL was committed. One that is accepted later sees
 * the commit and waits, so neither can undo the other.
 */
const isOvertaken = async (
  { intent, payload }: SentRequest<{ trader: Hotkey }, { signal: Signal }>,
  { db }: Deps,
): Promise<boolean> =>
  payload.signal.execution_type === 'FLAT_ALL' && hasOthersUnderWay(db, intent.request.trader, intent.lane);

/**
 * Finds whether a position is closed, and its closing order. At once only if that is the order of this close. If something
 * else has closed it, the request may still be in flight: a FLAT_ALL could cancel the account's exits, a FLAT close the next
 * position of the pair. Nor is a position that nothing shows closed at once, or one that is shown without its orders: a network that restarts has
 * gaps.
 */
export async function findClosed(
  at: AtMiner,
  { position_uuid, signal, since_ms }: { position_uuid: string; signal: Signal; since_ms: number | null },
): Promise<Found> {
  const { dashboard, book } = await readRecords(at);
  if (dashboard.kind !== 'found') return UNREAD;
  const position = dashboard.data.positions.find(({ uuid }) => uuid === position_uuid);
  if (position && isOpenPosition(position)) return ABSENT;
  const isFlatAll = signal.execution_type === 'FLAT_ALL';
  if (book.kind !== 'found' && isFlatAll) return UNREAD;
  const listed = book.kind === 'found' ? book.data : { filled: [], cancelled: [] };
  const isOwn = ({ uuid }: DashboardOrder) => closesOf(position_uuid, signal).includes(uuid);
  const last = position?.filledOrders.at(-1) ?? listed.filled.find(isOwn);
  if (!position && !last && !dashboard.data.reported.positions) return UNREAD;
  const note = isFlatAll ? noteOfOthers(dashboard.data, listed, since_ms ?? 0) : null;
  const closed = accepted({ ...nothingExecuted, note, executed: last ? executedBy(last) : null });
  return last && isOwn(last) ? closed : onceEnded(closed);
}

/** The uuids of the order by which a signal closes a position: FLAT_ALL in newer and in older builds. See venues/network.md#derived-ids. */
const closesOf = (positionUuid: string, { execution_type, order_uuid }: Signal): string[] =>
  execution_type === 'FLAT_ALL' ? [`${positionUuid}-flat-all`, [...positionUuid].reverse().join('')] : [order_uuid];

/** A note that positions lost their exits since the close was sent. Null if none did. */
function noteOfOthers(
  { positions }: Dashboard,
  { cancelled }: Pick<OrderBook, 'cancelled'>,
  sinceMs: number,
): string | null {
  const open = positions.filter(isOpenPosition).map(({ tradePair }) => tradePair);
  const lost = cancelled.filter(
    ({ executionType, processedMs }) => executionType === 'BRACKET' && (processedMs ?? sinceMs) >= sinceMs,
  );
  const pairs = new Set(open.filter((pair) => lost.some(({ tradePair }) => tradePair && samePair(tradePair, pair))));
  return pairs.size > 0 ? `Exits were cancelled meanwhile in ${[...pairs].join(', ')}; protect these positions.` : null;
}
