import { z } from 'zod';
import type { Exvenue } from '../../adapters/exchange/types.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { absolute, isPositive } from '../../kernel/decimals.ts';
import { dexOf, legCloid } from '../../kernel/exchange-names.ts';
import type { IntentId } from '../../kernel/ids.ts';
import { accepted, acknowledged, type UpstreamResult, unknownEffect } from '../../kernel/upstream-result.ts';
import { cancel } from './cancel.ts';
import { ABSENT } from './evidence.ts';
import { exitOrders, exitsOn, type OldExit } from './exits.ts';
import { followUp } from './follow-up.ts';
import { readMarket, readPosition } from './market.ts';
import { isNotReady, UNREACHABLE } from './not-ready.ts';
import { type ExitPrices, type Leg, legsOf, misplacedExit } from './rules.ts';
import { sign, signedMembers } from './signing.ts';
import { succeedAndFollow } from './store.ts';
import { type ExchangeDeps, exchangeTiming, postAll, reconcileOrBurn, recordOtherwise, walletMembers } from './verb.ts';

/** The exchange's order numbers of new exits. A rejected leg is missing. */
type PlacedExits = Partial<Record<Leg, number>>;

/**
 * Places new exits for a position. The old ones are cancelled by a follow-up intent, and only after the new ones were
 * found at the exchange, so that the position is never without protection.
 */
export const protect = defineIntent({
  kind: 'orders/exvenue/protect',
  retention: 'alone',
  request: z.object({
    ...walletMembers,
    pair: z.string(),
    take_profit: z.string().nullable(),
    stop_loss: z.string().nullable(),
  }),
  payload: z.object({ ...signedMembers, replaced: z.array(z.custom<OldExit>()) }),
  timing: exchangeTiming,

  async prepare({ id, owner, request: { wallet, pair, ...prices } }, deps: ExchangeDeps) {
    const market = await readMarket(deps.exvenue, pair);
    if (isNotReady(market)) return market;
    const { asset, mid } = market;
    const held = await readPosition(deps.exvenue, wallet, asset.coin);
    if (isNotReady(held)) return held;
    const position = isPositive(held.size) ? 'long' : 'short';
    const misplaced = misplacedExit(prices, position, mid);
    if (misplaced) return { fail: { code: 'V1_PRICES_INVALID', message: misplaced } };
    const open = await deps.exvenue.openOrders(wallet, dexOf(asset.coin));
    if (open.kind === 'unreadable') return UNREACHABLE;
    const orders = exitOrders(id, prices, { asset, position, size: absolute(held.size) });
    if (isNotReady(orders)) return orders;
    const signed = await sign(deps, { owner, wallet }, [{ kind: 'place', orders, grouping: 'on_position' }]);
    if (isNotReady(signed)) return signed;
    return { send: { ...signed, replaced: open.kind === 'found' ? exitsOn(open.data, asset.coin) : [] } };
  },

  async send({ payload }, deps, limits): Promise<UpstreamResult<PlacedExits>> {
    const result = await postAll(deps, payload, limits);
    if (result.kind !== 'accepted') return result;
    const { items } = result.data;
    const [first, ...others] = items.filter((item) => item.kind === 'rejected');
    return first && 1 + others.length === items.length ? first : acknowledged('the exits are not confirmed yet');
  },

  reconcile: (sent, deps) =>
    reconcileOrBurn(sent, deps, () =>
      findExits(deps.exvenue, sent.payload.account, sent.intent.id, legsOf(sent.intent.request)),
    ),

  /** A rejected leg keeps its old exit, if there was one. */
  async record({ intent, payload: { replaced } }, result, deps) {
    if (result.kind !== 'accepted') return recordOtherwise(deps, intent, result);
    const { wallet, pair, ...prices } = intent.request;
    const oids = replaced.filter(({ leg }) => result.data[leg] !== undefined).map(({ oid }) => oid);
    const next = oids.length > 0 ? followUp(intent, cancel, { wallet, oids }) : null;
    return succeedAndFollow(deps.db, intent, { pair, ...exitsResult(prices, result.data, replaced) }, next);
  },
});

/**
 * Finds the exits of an intent by their cloids. They were sent in one action, so one found exit proves that the action
 * was executed and that a missing exit was rejected.
 */
async function findExits(
  exvenue: Exvenue,
  account: string,
  intentId: IntentId,
  legs: Leg[],
): Promise<Finding<PlacedExits>> {
  const placed: PlacedExits = {};
  for (const leg of legs) {
    const status = await exvenue.orderStatus(account, legCloid(intentId, leg));
    if (status.kind === 'unreadable') return unknownEffect(status.why);
    if (status.kind === 'found' && status.data.state !== 'rejected') placed[leg] = status.data.order.oid;
  }
  return Object.keys(placed).length > 0 ? accepted(placed) : ABSENT;
}

function exitsResult(requested: ExitPrices, placed: PlacedExits, replaced: OldExit[]) {
  const old = (leg: Leg) => replaced.find((exit) => exit.leg === leg);
  const missing = legsOf(requested).filter((leg) => placed[leg] === undefined);
  return {
    tp_order_id: text(placed.tp ?? old('tp')?.oid),
    sl_order_id: text(placed.sl ?? old('sl')?.oid),
    trigger_status: missing.length > 0 ? 'partial_failure' : 'placed',
    trigger_error: missing.length > 0 ? `The exchange rejected the ${missing.join(' and ')} order.` : null,
    take_profit: requested.take_profit ?? old('tp')?.triggerPrice ?? null,
    stop_loss: requested.stop_loss ?? old('sl')?.triggerPrice ?? null,
  };
}

const text = (oid: number | undefined) => (oid === undefined ? null : String(oid));
