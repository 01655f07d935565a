import { z } from 'zod';
import { defineIntent, type SentRequest } from '../../../intents/define.ts';
import { type Hotkey, nameOf, type OrderUuid } from '../../../kernel/ids.ts';
import { accepted, acknowledged, type UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { OrderChecks } from '../../checks.ts';
import type { VenueReads } from '../../reads.ts';
import type { Signal } from '../adapter/signal-types.ts';
import { noteSubaccountStatus } from '../subaccounts/commands.ts';
import * as network from './calls.ts';
import { CLOSE_IN_FLIGHT, closesByUuid } from './close-style.ts';
import { subjectOf, withEffect } from './effects.ts';
import { findPlaced, readExecution, resolveRejection } from './evidence.ts';
import { type Done, type Found, type Lifecycle, nothingExecuted } from './outcome.ts';
import { getReadiness, getTarget } from './queries.ts';
import { carriesExits, opens, protectionWhenAccepted, rests, type Terms } from './rules.ts';
import { recordPlacement } from './store.ts';
import { exitsAfter, watchEntry } from './wanted.ts';

type Deps = network.Deps & {
  reads: Pick<VenueReads, 'tradePairs'>;
  checks: Pick<OrderChecks, 'findNetworkViolation' | 'findSuccessor' | 'isTradeable'>;
};

/** Places one order. `executed` in the result is what the network executed: it reduces an order that exceeds a cap. */
export const place = defineIntent({
  kind: 'network/place',
  retention: 'with_order',
  claimed: 'to_send',
  isExit: ({ terms }) => !opens(terms),
  request: z.object({ ...network.traderMembers, terms: network.terms }),
  payload: z.object({ signal: network.signal }),
  deduplicates: true, // by the order's uuid, at the miner and at the validator
  timing: network.timing,
  slot: (sent, deps: Deps) => (opens(sent.intent.request.terms) ? network.slotOfEntry : network.slotOfExit)(sent, deps),

  async payloadIfReady({ id, request }, { checks }: Deps) {
    const isOfApp = request.prop_account_id !== undefined; // whose account has to be tradeable, too
    if (isOfApp || (await checks.findNetworkViolation(request.trader, request.terms))) return null;
    return { signal: placementSignal(id, request.subaccount_id, request.terms) };
  },

  async prepare({ id, request, presumed_sent_at }, { db, venues, reads, checks }: Deps) {
    const send = { signal: placementSignal(id, request.subaccount_id, request.terms) };
    if (presumed_sent_at !== null) return { send }; // it is only looked for, and what holds now says nothing about it
    const [{ status, isClosing }, violation] = await Promise.all([
      getReadiness(db, request.trader),
      checks.findNetworkViolation(request.trader, request.terms),
    ]);
    if (status === 'pending' && !(await isActivated(request.trader, { db, venues })))
      return { wait: { code: 'V1_TRADER_NOT_READY' } };
    if (isClosing && (carriesExits(request.terms) || !closesByUuid(await reads.tradePairs())))
      return { wait: CLOSE_IN_FLIGHT };
    if (violation) return { fail: violation };
    if (request.prop_account_id && !(await checks.isTradeable(request.prop_account_id)))
      return { fail: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
    return { send };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const { signal } = sent.payload;
    const result = await network.sendSignal(sent, deps, limits, (at, refusal) => resolveRejection(at, signal, refusal));
    if (result.kind !== 'accepted' || result.data.lifecycle) return result; // it was read
    return signal.execution_type === 'BRACKET'
      ? withEffect(await network.atMiner(sent.intent, deps), subjectOf(signal), result.data)
      : withExecution(sent, deps, result.data);
  },

  reconcile: (sent, deps) =>
    network.reconcileAt(sent, deps, async (at, archived) =>
      unlessSeen(deps, sent, await findPlaced(at, sent.payload.signal, archived)),
    ),

  async record({ intent }, result, deps) {
    const { terms } = intent.request;
    if (result.kind !== 'accepted')
      return network.recordOtherwise(deps, intent, await withSuccessor(result, terms, deps));
    const resting = rests(terms);
    const data = resting ? network.unlessWaiting(result.data) : result.data;
    const lifecycle = data.isNothing ? undefined : (data.lifecycle ?? (resting ? 'resting' : 'filled'));
    const shown = network.resultOf(
      nameOf(intent),
      { ...data, ...(lifecycle && { lifecycle }) },
      protectionWhenAccepted(terms),
    );
    const { protection: state, protection_error: error } = shown;
    if ((data.fills ?? 0) > 1)
      deps.log.error({ alert: 'order_filled_again', intent_id: intent.id }, 'one order was filled more than once');
    network.alertIfUnprotected(deps, intent, shown);
    return recordPlacement(deps.db, intent, shown, {
      ...(lifecycle && { lifecycle }),
      executed: data.executed,
      ...(state !== 'none' && { protection: { state, error } }),
      ...(lifecycle && exitsToRecord(terms, { ...data, lifecycle })),
    });
  },
});

/**
 * The finding about a placement. An order that an edit, a cancellation or a read has already recorded at the network was placed, even if the
 * network's records no longer have it, as after an elimination.
 */
async function unlessSeen(
  { db }: Deps,
  { intent: { id } }: { intent: { id: OrderUuid } },
  finding: Found,
): Promise<Found> {
  const last = finding.kind === 'once_ended' ? finding.finding : finding;
  if (last.kind !== 'absent') return finding;
  const { lifecycle } = await getTarget(db, id);
  return lifecycle === null ? finding : accepted({ ...nothingExecuted, lifecycle });
}

/** The exits that an order wants from now on, and its entry while it may be filled once more. None for an order without either. */
function exitsToRecord(terms: Terms, { lifecycle, executed, mayRepeat }: Done & { lifecycle: Lifecycle }) {
  const exits = rests(terms) || carriesExits(terms) ? exitsAfter(terms, lifecycle, executed) : [];
  const isWatched = mayRepeat === true && lifecycle === 'filled';
  return exits.length > 0 || isWatched ? { exits: [...exits, ...(isWatched ? [watchEntry()] : [])] } : {};
}

/** Rejections of a pair that older builds traded: the caller may have meant the one that has replaced it. */
const ABOUT_PAIR = new Set(['pair_close_only', 'pair_discontinued', 'pair_not_allowed']);

type NotAccepted = Exclude<UpstreamResult<Done>, { kind: 'accepted' }>;

async function withSuccessor(result: NotAccepted, { trade_pair }: Terms, { checks }: Deps): Promise<NotAccepted> {
  if (result.kind !== 'rejected' || !ABOUT_PAIR.has(result.slug)) return result;
  const successor = await checks.findSuccessor(trade_pair);
  return successor ? { ...result, message: `${result.message} ${successor}` } : result;
}

/** The execution of a market order is read if the response does not contain it. If it cannot be read, it is looked up soon. */
async function withExecution(
  { intent, payload: { signal } }: SentRequest<{ trader: Hotkey }, { signal: Signal }>,
  { venues }: Deps,
  data: Done,
): Promise<UpstreamResult<Done>> {
  const isKnown = data.executed?.price != null && data.attempts === 'one';
  if (signal.execution_type !== 'MARKET' || isKnown) return accepted(data);
  const at = await network.atMiner(intent, { venues });
  const read = at && (await readExecution(at, signal, data));
  return read?.kind === 'accepted' ? read : acknowledged('accepted, but the execution could not be read');
}

/** Whether a subaccount is activated. A new one is pending until its collateral is burnt; the venue rejects its orders until then. */
async function isActivated(trader: Hotkey, { db, venues }: Pick<Deps, 'db' | 'venues'>): Promise<boolean> {
  const dashboard = await venues.netvenue.dashboard(trader);
  if (dashboard.kind !== 'found' || dashboard.data.status === 'pending') return false;
  await noteSubaccountStatus(db, trader, dashboard.data.status);
  return true;
}

/** The signal that places an order with the given uuid. */
export const placementSignal = (orderUuid: OrderUuid, subaccountId: number, order: Terms): Signal => ({
  ...wholeOrder(order),
  execution_type: order.execution_type,
  order_uuid: orderUuid,
  subaccount_id: subaccountId,
});

/** The members of an order that are sent, besides its type of execution. */
const SENT = [
  'trade_pair',
  'order_type',
  'leverage',
  'value',
  'quantity',
  'limit_price',
  'stop_price',
  'stop_condition',
  'stop_loss',
  'take_profit',
  'trailing_stop',
  'bracket_orders',
] as const satisfies readonly (keyof Terms & keyof Signal)[];

/** A member that the contract gains has to be listed above, or its name here says that it is not sent. */
type Unsent = Exclude<keyof Terms, (typeof SENT)[number] | 'execution_type'>;
const UNSENT: Record<Unsent, 'not sent'> = {};

/** The members of an order on the wire. The network always requires the whole order. */
export const wholeOrder = (order: Terms): Omit<Signal, 'execution_type' | 'order_uuid' | 'subaccount_id'> =>
  Object.fromEntries(
    SENT.flatMap((name) => (order[name] === undefined || name in UNSENT ? [] : [[name, order[name]]])),
  );
