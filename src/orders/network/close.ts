import { z } from 'zod';
import type { Dashboard, Signal, TradePair } from '../../adapters/network/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { retry, succeed } from '../../intents/store.ts';
import { newIntentId } from '../../kernel/ids.ts';
import {
  accepted,
  acknowledged,
  type ReadResult,
  type Rejected,
  type UpstreamResult,
  unknownEffect,
} from '../../kernel/upstream-result.ts';
import { ABSENT, executedBy, nothingExecuted } from './evidence.ts';
import type { AtMiner, Done } from './outcome.ts';
import { isOpenPosition, readHeld } from './positions.ts';
import { samePair } from './rules.ts';
import * as network from './verb.ts';

type CloseStyle = 'auto' | 'flat_all' | 'market_flat';
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
  kind: 'orders/close',
  retention: 'alone',
  request: z.object({ ...network.traderMembers, trade_pair: z.string(), position_uuid: z.string().optional() }),
  payload: z.object({ signal: network.signal, position_uuid: z.string(), since_ms: z.number().nullable() }),
  timing: network.timing,
  slot: network.slot,

  async prepare({ id, attempts, request: { trader, trade_pair, subaccount_id, position_uuid: only } }, deps: Deps) {
    const [held, pairs] = await Promise.all([
      readHeld(deps.venues.netvenue, trader, trade_pair),
      deps.reads.tradePairs(),
    ]);
    if (held === 'unreadable') return { wait: { code: 'VENUE_UNREACHABLE' } };
    const { position } = held;
    if (position === null || (only !== undefined && position.uuid !== only))
      return { fail: { code: 'V1_NO_POSITION' } };
    const common = { subaccount_id, trade_pair };
    const touchesOthers = wouldTouchOthers(deps.config.NETVENUE_CLOSE_STYLE, held.dashboard, { pairs, trade_pair });
    const signal: Signal = touchesOthers
      ? { ...common, execution_type: 'MARKET', order_type: 'FLAT', order_uuid: attempts > 1 ? newIntentId() : id }
      : { ...common, execution_type: 'FLAT_ALL', order_uuid: position.uuid };
    return { send: { signal, position_uuid: position.uuid, since_ms: held.dashboard.atMs } };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const find = (at: AtMiner) => findClosed(at, sent.payload);
    const result = await network.sendSignal(sent, deps, limits, network.resolveBy(find));
    return result.kind === 'accepted' ? acknowledged('an acceptance does not prove that it closed') : result;
  },

  reconcile: (sent, deps) => network.reconcileAt(sent, deps, (at) => findClosed(at, sent.payload)),

  async record({ intent }, result, deps) {
    if (result.kind === 'rejected' && result.slug === 'cooldown') return waitOut(deps, intent, result);
    if (result.kind !== 'accepted') return network.recordOtherwise(deps, intent, result);
    return succeed(deps.db, intent, network.resultOf(intent.id, result.data));
  },
});

/**
 * Whether FLAT_ALL would touch more than the position. Builds before mid-2026 ignore its uuid and close every position;
 * the newest ones cancel the exits of every pair. MARKET with FLAT touches only the pair on every build.
 */
function wouldTouchOthers(
  style: CloseStyle,
  { positions, openOrders }: Pick<Dashboard, 'positions' | 'openOrders'>,
  { pairs, trade_pair }: { pairs: ReadResult<TradePair[]>; trade_pair: string },
): boolean {
  const isElsewhere = ({ tradePair }: { tradePair: string | null }) =>
    tradePair === null || !samePair(tradePair, trade_pair);
  if (style === 'market_flat') return true;
  if (openOrders.some((order) => order.executionType === 'BRACKET' && isElsewhere(order))) return true;
  if (style === 'flat_all' || closesByUuid(pairs)) return false;
  return positions.some((position) => isOpenPosition(position) && isElsewhere(position));
}

/** Whether the registry is that of a build that closes only the positions named. Builds since then list caps by tier. */
export const closesByUuid = (pairs: ReadResult<TradePair[]>): boolean =>
  pairs.kind === 'found' && pairs.data.some(({ leverageByTier }) => leverageByTier !== null);

/** The venue did nothing: the close is sent again after its pause, under a new uuid, within the deadline. */
const waitOut = ({ db }: Deps, intent: Parameters<typeof retry>[1], { message, retryAfterS = 1 }: Rejected) =>
  retry(db, intent, retryAfterS * 1_000, { code: 'VENUE_COOLDOWN', message, retry_after_s: retryAfterS });

/**
 * Finds whether a position is closed, and its closing order. A position that the validator no longer lists is closed.
 */
async function findClosed(
  at: AtMiner,
  { position_uuid, ...sent }: { position_uuid: string; signal: Signal; since_ms: number | null },
): Promise<Finding<Done>> {
  const dashboard = await at.venue.dashboard(at.trader);
  if (dashboard.kind !== 'found' || !dashboard.data.reported.positions)
    return unknownEffect('the positions could not be read');
  const position = dashboard.data.positions.find(({ uuid }) => uuid === position_uuid);
  if (position && isOpenPosition(position)) return ABSENT;
  const last = position?.filledOrders.at(-1);
  const note = await noteOfOthers(at, dashboard.data, sent);
  return accepted({ ...nothingExecuted, note, executed: last ? executedBy(last) : null });
}

/**
 * Tells that other pairs lost their exits since the close was sent: an order in another pair may have placed them just
 * before FLAT_ALL arrived. Null if none did.
 */
async function noteOfOthers(
  { venue, trader }: AtMiner,
  { positions }: Dashboard,
  { signal, since_ms }: { signal: Signal; since_ms: number | null },
): Promise<string | null> {
  if (signal.execution_type !== 'FLAT_ALL' || since_ms === null) return null;
  const book = await venue.orders(trader);
  if (book.kind !== 'found') return null;
  const open = positions.filter(isOpenPosition).map(({ tradePair }) => tradePair);
  const lost = book.data.cancelled.filter(
    ({ executionType, processedMs }) => executionType === 'BRACKET' && (processedMs ?? 0) >= since_ms,
  );
  const pairs = new Set(open.filter((pair) => lost.some(({ tradePair }) => tradePair && samePair(tradePair, pair))));
  return pairs.size > 0 ? `Exits were cancelled meanwhile in ${[...pairs].join(', ')}; protect these positions.` : null;
}
