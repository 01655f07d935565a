import { z } from 'zod';
import type { Signal } from '../../adapters/network/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { succeed } from '../../intents/store.ts';
import type { IntentId } from '../../kernel/ids.ts';
import { accepted, acknowledged, type UpstreamResult, unknownEffect } from '../../kernel/upstream-result.ts';
import { ABSENT, executedBy, nothingExecuted } from './evidence.ts';
import type { AtMiner, Done } from './outcome.ts';
import { readHeld } from './positions.ts';
import * as network from './verb.ts';

type CloseStyle = 'flat_all' | 'market_flat';
type Deps = network.Deps & { config: { NETVENUE_CLOSE_STYLE: CloseStyle } };

/**
 * Closes the position that is open in a pair when the intent is executed; with `position_uuid` only that position. The
 * venue does not report failures of single closes, so its acceptance proves nothing: an acceptance is reconciled at
 * once.
 */
export const close = defineIntent({
  kind: 'orders/close',
  retention: 'alone',
  request: z.object({ ...network.traderMembers, trade_pair: z.string(), position_uuid: z.string().optional() }),
  payload: z.object({ signal: network.signal, position_uuid: z.string() }),
  timing: network.timing,
  slot: network.slot,

  async prepare({ id, request: { trader, trade_pair, subaccount_id, position_uuid: only } }, deps: Deps) {
    const held = await readHeld(deps.venues.netvenue, trader, trade_pair);
    if (held === 'unreadable') return { wait: { code: 'VENUE_UNREACHABLE' } };
    const { position } = held;
    if (position === null || (only !== undefined && position.uuid !== only))
      return { fail: { code: 'V1_NO_POSITION' } };
    const common = { subaccount_id, trade_pair };
    const about = { intentId: id, positionUuid: position.uuid };
    const signal = { ...common, ...closeSignal(deps.config.NETVENUE_CLOSE_STYLE, about) };
    return { send: { signal, position_uuid: position.uuid } };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const find = (at: AtMiner) => findClosed(at, sent.payload.position_uuid);
    const result = await network.sendSignal(sent, deps, limits, network.resolveBy(find));
    return result.kind === 'accepted' ? acknowledged('an acceptance does not prove that it closed') : result;
  },

  reconcile: (sent, deps) => network.reconcileAt(sent, deps, (at) => findClosed(at, sent.payload.position_uuid)),

  async record({ intent }, result, deps) {
    if (result.kind !== 'accepted') return network.recordOtherwise(deps, intent, result);
    return succeed(deps.db, intent, network.resultOf(intent.id, result.data));
  },
});

/**
 * Network builds before mid-2026 close everything of the subaccount on FLAT_ALL and ignore its uuid. For these,
 * `market_flat` closes with MARKET + FLAT, which closes only the position on every build.
 */
const closeSignal = (
  style: CloseStyle,
  { intentId, positionUuid }: { intentId: IntentId; positionUuid: string },
): Pick<Signal, 'execution_type' | 'order_type' | 'order_uuid'> =>
  style === 'flat_all'
    ? { execution_type: 'FLAT_ALL', order_uuid: positionUuid }
    : { execution_type: 'MARKET', order_type: 'FLAT', order_uuid: intentId };

/**
 * Finds whether a position is closed, and its closing order. A position that the validator no longer lists is closed.
 */
async function findClosed({ venue, trader }: AtMiner, positionUuid: string): Promise<Finding<Done>> {
  const dashboard = await venue.dashboard(trader);
  if (dashboard.kind !== 'found' || !dashboard.data.reported.positions)
    return unknownEffect('the positions could not be read');
  const position = dashboard.data.positions.find(({ uuid }) => uuid === positionUuid);
  if (!position) return accepted(nothingExecuted);
  if (position.closeMs === null && position.side !== 'FLAT') return ABSENT;
  const last = position.filledOrders.at(-1);
  return accepted({ ...nothingExecuted, executed: last ? executedBy(last) : null });
}
