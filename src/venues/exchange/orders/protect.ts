import { z } from 'zod';
import { defineIntent, type Finding, isNotReady } from '../../../intents/define.ts';
import { absolute, isPositive } from '../../../kernel/decimals.ts';
import { dexOf, legCloid } from '../../../kernel/exchange-names.ts';
import { type IntentId, idSchema, type WalletAddress } from '../../../kernel/ids.ts';
import {
  accepted,
  acknowledged,
  type Rejected,
  recordedRejection,
  type UpstreamResult,
  unknownEffect,
} from '../../../kernel/upstream-result.ts';
import type { Posted } from '../adapter/action-types.ts';
import type { Exvenue, OrderRecord } from '../adapter/types.ts';
import { closingSide } from '../protection.ts';
import { sign, signedMembers } from '../signing/sign.ts';
import {
  type ExchangeDeps,
  exchangeTiming,
  exitTiming,
  postAll,
  reconcileOrBurn,
  recordOtherwise,
  UNREACHABLE,
  walletMembers,
} from './calls.ts';
import { cancelNext } from './cancel.ts';
import { ABSENT, REJECTED } from './evidence.ts';
import { exitOrders, exitsOn, type OldExit, oldExit } from './exits.ts';
import { readMarket, readPosition, URGENT } from './market.ts';
import { listPlannedExits, listReplacedExits, type PlannedExit } from './plans/queries.ts';
import { isValid, repeat } from './repeat.ts';
import { EXIT_NAMES, type ExitPrices, type Leg, legsOf, misplacedExit } from './rules.ts';
import { isWholeWanted, stillWanted } from './still-wanted.ts';
import { decideExits, recordExits } from './store.ts';

/**
 * Places new exits for a position. The old ones are cancelled by a follow-up intent, and only after the new ones were
 * found at the exchange, so that the position is never without protection. Commands count in the order of their
 * acceptance: if a later one has decided meanwhile, the exits of this one are cancelled instead.
 */
export const protect = defineIntent({
  kind: 'exchange/protect',
  retention: 'alone',
  claimed: 'to_prepare',
  isExit: true,
  request: z.object({
    ...walletMembers,
    pair: z.string(),
    take_profit: z.string().nullable(),
    stop_loss: z.string().nullable(),
    repairs: z.object({ order_uuid: idSchema.order, version: z.number() }).optional(),
  }),
  payload: z.object({
    ...signedMembers,
    replaced: z.array(oldExit),
    coin: z.string(),
    take_profit: z.string().nullable(),
    stop_loss: z.string().nullable(),
  }),
  timing: exitTiming,

  async prepare({ id, owner, created_at, request }, deps: ExchangeDeps) {
    const asked = await stillWanted(deps, { id, owner, request });
    if (!('wallet' in asked)) return asked;
    const { wallet, pair, ...prices } = asked;
    const market = await readMarket(deps.exvenue, pair);
    if (isNotReady(market)) return market;
    const { asset, mid } = market;
    const { because_of } = request;
    const opened = because_of && { id: because_of, endedMs: Date.parse(created_at) };
    const held = await readPosition(deps, { owner, wallet }, asset, opened);
    if (isNotReady(held)) return held;
    const position = isPositive(held.size) ? 'long' : 'short';
    const misplaced = misplacedExit(prices, position, mid);
    if (misplaced) return { fail: { code: 'V1_PRICES_INVALID', message: misplaced } };
    const open = await deps.exvenue.openOrders(wallet, dexOf(asset.coin), URGENT);
    if (open.kind === 'unreadable') return UNREACHABLE;
    const orders = exitOrders(id, prices, { asset, position, size: absolute(held.size) });
    if (isNotReady(orders)) return orders;
    const signed = await sign(deps, { owner, wallet }, [{ kind: 'place', orders, grouping: 'on_position' }]);
    if (isNotReady(signed)) return signed;
    const planned = await listPlannedExits(deps.db, { wallet, pair });
    const replaced = oldExits(exitsOn(open.data, { coin: asset.coin, side: closingSide(held.size) }), planned);
    return { send: { ...signed, replaced, coin: asset.coin, ...prices } };
  },

  async send({ payload }, deps, limits): Promise<UpstreamResult<FoundExits>> {
    const result = await postAll(deps, payload, limits);
    if (result.kind !== 'accepted') return result;
    return rejectionOf(result.data) ?? acknowledged('the exits are not confirmed yet');
  },

  /**
   * Exits that are placed again for an order have no caller to repeat them. While they are wanted as they were signed, the same body is
   * sent again: it acts only if it has not arrived. If nothing was done for certain, they are signed and sent anew.
   */
  async reconcile(sent, deps): Promise<Finding<FoundExits>> {
    const { intent, payload } = sent;
    const isSettled = intent.sent_ago_ms > exchangeTiming(deps).inFlightMs + deps.config.EXVENUE_READ_LAG_MS;
    const find = () => findExits(deps.exvenue, intent.id, { ...payload, isSettled });
    const finding = await reconcileOrBurn(sent, deps, find);
    if (finding.kind !== 'absent' || intent.request.because_of === undefined) return finding;
    const [post] = payload.posts;
    if (!post || !isValid(payload) || !(await isWholeWanted(deps, intent))) return { ...finding, isOwed: true };
    const result = await repeat(deps, payload, post);
    if (result.kind === 'rejected' || (result.kind === 'accepted' && rejectionOf(result.data)))
      return { ...ABSENT, isOver: true, isOwed: true };
    if (result.kind !== 'accepted') return unknownEffect(`absent, and the repeat: ${result.why}`);
    const shown = await find();
    return shown.kind === 'absent' ? unknownEffect('sent again, and not shown yet') : shown;
  },

  /**
   * A rejected leg keeps its old exit, if there was one. Exits that are put back replace none: one that rests is other software's. The exits that
   * rest are decided before the intent ends, which is safe to repeat.
   */
  async record({ intent, payload }, result, { db }) {
    if (result.kind !== 'accepted') return recordOtherwise({ db }, intent, result);
    const { wallet, pair } = intent.request;
    const { placed, cancelled, older } = result.data;
    const decided = Object.fromEntries(
      legsOf(payload).flatMap((leg) => (placed[leg] ? [[leg, String(placed[leg])]] : [])),
    );
    const command = { id: intent.id, wallet, pair };
    const outdated = await decideExits(db, command, decided);
    const known = [...older, ...(await listReplacedExits(db, command))];
    const rested = intent.request.repairs ? [] : oldExits(payload.replaced, known);
    const old = rested.filter(({ leg }) => placed[leg] !== undefined);
    const oids = [
      ...old.filter(({ leg }) => !outdated.includes(leg)).map(({ oid }) => oid),
      ...outdated.flatMap((leg) => placed[leg] ?? []),
    ];
    const next = oids.length > 0 ? cancelNext(intent, { wallet, oids, coin: payload.coin }) : null;
    const gone = legsOf(payload).filter((leg) => outdated.includes(leg) || cancelled.includes(leg));
    const rests = (leg: Leg) => placed[leg] !== undefined && !gone.includes(leg);
    const prices = {
      take_profit: rests('tp') ? payload.take_profit : null,
      stop_loss: rests('sl') ? payload.stop_loss : null,
    };
    const shown = { pair, ...exitsResult(payload, placed, payload.replaced, gone) };
    return recordExits(db, intent, shown, prices, next);
  },
});

/** The rejection of exits of which the venue placed none; null if it placed some. */
function rejectionOf({ items }: Posted): Rejected | null {
  const rejections = items.filter((item) => item.kind === 'rejected');
  return rejections.length === items.length ? (rejections[0] ?? null) : null;
}

/** Every exit of both lists once. */
function oldExits(seen: OldExit[], known: readonly PlannedExit[]): OldExit[] {
  const more = known.map(({ leg, oid }) => ({ leg, oid: Number(oid), triggerPrice: null }));
  return [...new Map([...more, ...seen].map((exit) => [exit.oid, exit])).values()];
}

/** The result of a command. `gone`: its exits that a later command ended, or that were cancelled since. */
function exitsResult(requested: ExitPrices, placed: PlacedExits, replaced: OldExit[], gone: Leg[]) {
  if (gone.length > 0) return goneResult(requested, placed, gone);
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

function goneResult(requested: ExitPrices, placed: PlacedExits, gone: Leg[]) {
  const kept = (leg: Leg) => (gone.includes(leg) ? null : requested[EXIT_NAMES[leg]]);
  const left = { take_profit: kept('tp'), stop_loss: kept('sl') };
  return {
    tp_order_id: gone.includes('tp') ? null : text(placed.tp),
    sl_order_id: gone.includes('sl') ? null : text(placed.sl),
    trigger_status: legsOf(left).length > 0 ? 'partial_failure' : 'failed',
    trigger_error: `A later command ended the ${gone.join(' and ')} order.`,
    ...left,
  };
}

const text = (oid: number | undefined) => (oid === undefined ? null : String(oid));

/** The exchange's order numbers of new exits. A rejected leg is missing. */
type PlacedExits = Partial<Record<Leg, number>>;
/** New exits, those of them that were cancelled since, and the older ones that rested beside them. */
type FoundExits = { placed: PlacedExits; cancelled: Leg[]; older: PlannedExit[] };
/** `isSettled`: every read shows the effect of what was sent. */
type Sought = ExitPrices & { account: WalletAddress; coin: string; isSettled: boolean };

/**
 * Finds the exits of an intent by their cloids. They were sent in one action, so one found exit proves that the action was executed.
 * Another one was rejected if its record says so, or if there is none once reads can no longer be behind. The list of open orders,
 * read after that, shows exits that rested before them and that an earlier read may have missed: reads may be behind.
 */
async function findExits(
  exvenue: Exvenue,
  intentId: IntentId,
  { account, coin, isSettled, ...prices }: Sought,
): Promise<Finding<FoundExits>> {
  const records: { leg: Leg; record: OrderRecord }[] = [];
  for (const leg of legsOf(prices)) {
    const status = await exvenue.orderStatus(account, legCloid(intentId, leg), URGENT);
    if (status.kind === 'unreadable') return unknownEffect(status.why);
    if (status.kind === 'found' && status.data.state === 'unknown')
      return unknownEffect(`the exchange's status of an exit is ${status.data.word}`);
    if (status.kind === 'found') records.push({ leg, record: status.data });
  }
  const isComplete = records.length === legsOf(prices).length;
  const resting = records.filter(({ record }) => record.state !== 'rejected');
  const [first] = resting.map(({ record }) => record.order);
  const [rejection] = records.map(({ record }) => record);
  if (!first) return isComplete && rejection ? recordedRejection(rejection.rejected ?? REJECTED) : ABSENT;
  if (!isComplete && !isSettled) return unknownEffect('an exit is not shown yet');
  const placed: PlacedExits = Object.fromEntries(resting.map(({ leg, record }) => [leg, record.order.oid]));
  const open = await exvenue.openOrders(account, dexOf(coin), URGENT);
  if (open.kind === 'unreadable') return unknownEffect(open.why);
  const before = Math.min(...Object.values(placed));
  const protecting = exitsOn(open.data, { coin, side: first.side }); // all are on the closing side
  return accepted({
    placed,
    cancelled: resting.filter(({ record }) => record.state === 'cancelled').map(({ leg }) => leg),
    older: protecting.filter(({ oid }) => oid < before).map(({ leg, oid }) => ({ leg, oid: String(oid) })),
  });
}
