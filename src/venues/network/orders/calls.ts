import type { Logger } from 'pino';
import { z } from 'zod';
import type { CapacitySettings } from '../../../capacity/budgets.ts';
import { minerSlot, paceOf, type SlotAt } from '../../../capacity/network.ts';
import type { Db } from '../../../db/pool.ts';
import { JUST_AFTER_MS, LONGEST_ORDER_RETRY_MS } from '../../../intents/backoff.ts';
import {
  type Finding,
  type IntentOf,
  objectWith,
  type SendLimits,
  type SentRequest,
  type Timing,
} from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { recordNoResponse } from '../../../intents/run.ts';
import { fail } from '../../../intents/settle.ts';
import { freeSlot, noteReached, proofInMs, spendPace, wasAnswered } from '../../../intents/slots.ts';
import { throwUnsent } from '../../../intents/unsent.ts';
import { entityOf, type Hotkey, idSchema, type OrderUuid } from '../../../kernel/ids.ts';
import {
  type ReadResult,
  type Rejected,
  type UpstreamResult,
  unknownEffect,
  unreachable,
  unreadable,
} from '../../../kernel/upstream-result.ts';
import type { ArchivedOrder, Signal, UnprovenRejection } from '../adapter/signal-types.ts';
import type { Netvenue } from '../adapter/types.ts';
import { type AtMiner, type Done, type Found, isRecorded, LIFECYCLES, NOT_OPEN } from './outcome.ts';
import { NO_PROTECTION, type Protection, type Terms } from './rules.ts';

/** The dependencies of every network verb: the miners by entity, and the timing settings. */
export type Deps = {
  db: Db;
  log: Pick<Logger, 'error'>;
  venues: { netvenue: Netvenue; ofTrader(syntheticHotkey: Hotkey): Promise<Netvenue | null> };
  config: CapacitySettings & { NETVENUE_PATIENCE_MS: number; NETVENUE_IN_FLIGHT_MS: number };
};

/** Request members of every network verb: the trader's synthetic hotkey, its subaccount, and its prop account, if any. */
export const traderMembers = {
  trader: idSchema.hotkey,
  subaccount_id: z.number(),
  prop_account_id: idSchema.propAccount.optional(),
};

const side = z.enum(['LONG', 'SHORT', 'FLAT']);

/** Schema of order terms. The contract checked them on submission. */
export const terms = objectWith<Terms>({
  trade_pair: z.string(),
  order_type: side,
  execution_type: z.enum(['MARKET', 'LIMIT', 'STOP_LIMIT', 'BRACKET']),
});

/** Schema of a signal. `prepare` of the verb built it. */
export const signal = objectWith<Signal>({
  order_uuid: idSchema.order,
  subaccount_id: z.number(),
  execution_type: z.enum(['MARKET', 'LIMIT', 'STOP_LIMIT', 'BRACKET', 'LIMIT_CANCEL', 'LIMIT_EDIT', 'FLAT_ALL']),
});

type AnyRequest = { trader: Hotkey };
type NetworkResult = UpstreamResult<Done>;

/** The timing of calls to the network. It is long because a miner queues requests that it cannot process at once. */
export const timing = ({ config }: Deps): Timing => ({
  patienceMs: config.NETVENUE_PATIENCE_MS,
  inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
});

/** The slot of a request at the miner of its trader's entity, at the pace of the trader's signals. */
const slotAt = (
  { intent: { request } }: { intent: IntentOf<AnyRequest> },
  { config }: Deps,
  isExit: boolean,
): SlotAt => ({
  ...minerSlot(entityOf(request.trader), config, isExit),
  pace: paceOf(request.trader, config),
});

/** The slot of a request that may open a position or change a resting order. */
export const slotOfEntry = (sent: { intent: IntentOf<AnyRequest> }, deps: Deps): SlotAt => slotAt(sent, deps, false);

/** The slot of a request that reduces what its trader risks. It does not wait behind entries. */
export const slotOfExit = (sent: { intent: IntentOf<AnyRequest> }, deps: Deps): SlotAt => slotAt(sent, deps, true);

/** See venues/network.md#retries: the miner repeats a signal inside one request, and the validator counts each. */
const [MOST_RETRIES, RETRY_PAUSE_MS] = [2, 5_000];

/**
 * Sends a verb's signal to the miner of its trader's entity. Unreachable, with nothing sent, if we have no key for it. A
 * rejection that does not prove that nothing happened is looked up with `resolve` before it is believed.
 */
export async function sendSignal(
  { intent, payload }: SentRequest<AnyRequest, { signal: Signal }>,
  { db, venues, config }: Deps,
  limits: SendLimits,
  resolve: (at: AtMiner, refusal: UnprovenRejection) => Promise<NetworkResult>,
): Promise<NetworkResult> {
  const { trader } = intent.request;
  const venue = await venues.ofTrader(trader).catch(throwUnsent);
  if (!venue) return unreachable('no key for the entity');
  const sentAt = performance.now();
  const result = await venue.submit(payload.signal, limits);
  const retries = Math.min(MOST_RETRIES, Math.floor((performance.now() - sentAt) / RETRY_PAUSE_MS));
  // without this count the validator would reject a later signal, which then is in doubt: no reason to lose a response
  if (retries > 0) await spendPace(db, paceOf(trader, config).name, retries).catch(() => {});
  if (result.kind !== 'unproven') return result;
  const resolved = await resolve({ venue, trader }, result);
  return resolved.kind === 'unknown' ? { ...resolved, acknowledged: true } : resolved; // the miner has responded
}

/** The result of an unproven rejection, by the verb's own search: the miner has responded, so what the records do not show was rejected. */
export const resolveBy =
  (find: (at: AtMiner) => Promise<Found>) =>
  async (at: AtMiner, { said, attempts }: UnprovenRejection): Promise<NetworkResult> => {
    const found = await find(at);
    const finding = found.kind === 'once_ended' ? found.finding : found;
    if (finding.kind === 'accepted' || finding.kind === 'rejected') return finding;
    const isSaid = finding.kind === 'absent' || (finding.kind === 'undecidable' && attempts === 'one');
    return isSaid ? said : unknownEffect('an unproven rejection could not be looked up');
  };

/**
 * Reconciles at the miner of the trader's entity. The miner accepts connections in order and continues after its caller has
 * disconnected. So absence is proven only when the in-flight time has passed since it responded to a look-up that came after
 * the request; its own record of the request shows that it is over. See venues/network.md#threads.
 * `overAfterMs`: of a verb whose acceptance shows that it is over, and whose effect is read after so long, before any look-up.
 */
export async function reconcileAt(
  { intent, payload }: SentRequest<AnyRequest, { signal: Signal }>,
  { db, venues, config: { NETVENUE_IN_FLIGHT_MS: holdMs } }: Deps,
  find: (at: AtMiner, archived: ReadResult<ArchivedOrder>) => Promise<Found>,
  overAfterMs?: number,
): Promise<Finding<Done>> {
  const { trader } = intent.request;
  const venue = await venues.ofTrader(trader);
  if (!venue) return unknownEffect('no key for the entity');
  if (overAfterMs !== undefined) {
    const proven = await find({ venue, trader }, unreadable('not asked'));
    if (proven.kind === 'accepted' || proven.kind === 'rejected') return proven;
  }
  const [name = ''] = payload.signal.order_uuid.split(',');
  const askedAt = performance.now();
  const archived = await venue.orderStatus(name);
  const tookMs = performance.now() - askedAt;
  const reachedMs = archived.kind === 'unreadable' ? null : await noteReached(db, intent, { holdMs, tookMs });
  const isOver = isRecorded(archived, payload.signal);
  if (isOver) await freeSlot(db, intent.id, true);
  const found = await find({ venue, trader }, archived);
  const isInFlight = !isOver && (reachedMs === null || reachedMs <= holdMs);
  if (found.kind === 'accepted' && isInFlight && !(await wasAnswered(db, intent.id, 0)))
    return { ...found, data: { ...found.data, mayRepeat: true } };
  if (found.kind !== 'absent' && found.kind !== 'once_ended') return found;
  const finding = found.kind === 'absent' ? found : found.finding;
  if (overAfterMs !== undefined && (await wasAnswered(db, intent.id, overAfterMs)))
    return finding.kind === 'absent' ? { ...finding, isOver: true } : finding;
  if (reachedMs === null) return unknownEffect('the miner has not responded to a look-up since');
  if (reachedMs > holdMs) return finding;
  const againInMs = Math.min(await proofInMs(db, intent.id), holdMs - reachedMs + JUST_AFTER_MS);
  return { ...unknownEffect('in flight'), againInMs };
}

/** The trader of an intent at the miner of its entity; null if we have no key for it. */
export async function atMiner(
  { request }: IntentOf<AnyRequest>,
  { venues }: Pick<Deps, 'venues'>,
): Promise<AtMiner | null> {
  const venue = await venues.ofTrader(request.trader);
  return venue && { venue, trader: request.trader };
}

/** Records any result other than `accepted`. False: the claim is lost. */
export const recordOtherwise = (
  { db }: Pick<Deps, 'db'>,
  intent: IntentOf<AnyRequest>,
  result: Exclude<NetworkResult, { kind: 'accepted' }>,
): Promise<boolean> =>
  result.kind === 'rejected'
    ? fail(db, intent, problemOf(result))
    : recordNoResponse(db, intent, result, LONGEST_ORDER_RETRY_MS);

function problemOf({ slug, message, retryAfterS, words }: Rejected): Problem {
  if (slug === 'venue_auth') return { code: 'VENUE_AUTH' };
  if (slug === 'cooldown') return { code: 'VENUE_COOLDOWN', message, retry_after_s: retryAfterS ?? 1 };
  if (NOT_OPEN.has(slug)) return { code: 'V1_ORDER_NOT_RESTING', reason: slug };
  return { code: 'VENUE_REJECTED', message, reason: words ?? slug };
}

/** Schema of what the network executed of an order, as recorded. */
export const executed = z.object({
  order_type: side.nullable(),
  quantity: z.number().nullable(),
  value: z.number().nullable(),
  leverage: z.number().nullable(),
  price: z.number().nullable(),
});

const protectionState = z.enum(['none', 'placed', 'failed']);

/** Schema of the state of an order's exits, as recorded. */
export const protection = z.object({ state: protectionState, error: z.string().nullable() });

/**
 * The recorded result of a network verb. `processing_time` is measured by the venue, in seconds. `success` is false if the
 * network took the signal and cancelled the order by it.
 */
export const orderResultMembers = z.object({
  order_uuid: idSchema.order,
  processing_time: z.number().nullable(),
  message: z.string().nullable(),
  executed: executed.nullable(),
  lifecycle: z.enum(LIFECYCLES).nullable(),
  success: z.boolean(),
  protection: protectionState,
  protection_error: z.string().nullable(),
});

export type OrderResult = z.infer<typeof orderResultMembers>;

/** The result of an accepted signal, in the shape that is recorded. */
export const resultOf = (orderUuid: OrderUuid, data: Done, protection: Protection = NO_PROTECTION): OrderResult => ({
  order_uuid: orderUuid,
  processing_time: data.processingTimeS,
  message: data.note,
  executed: data.executed,
  lifecycle: data.lifecycle ?? null,
  success: true,
  protection: (data.protection ?? protection).state,
  protection_error: (data.protection ?? protection).error,
});

/** Logs an alert if a verb has left a position without the exits that its caller wants. */
export function alertIfUnprotected(
  { log }: Pick<Deps, 'log'>,
  { id }: IntentOf<AnyRequest>,
  result: OrderResult,
): void {
  if (result.protection === 'failed')
    log.error({ alert: 'position_unprotected', intent_id: id }, 'the network has no exits for an open position');
}

/** Removes the execution of an order that only rests. The venue echoes the accepted order; only an executed one has a price. */
export const unlessWaiting = (data: Done): Done => (data.executed?.price == null ? { ...data, executed: null } : data);
