import { databaseIsAway } from '../db/conflicts.ts';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import { OUR_CREDENTIALS, type Pauses } from '../kernel/pauses.ts';
import type { UpstreamResult } from '../kernel/upstream-result.ts';
import { within } from '../kernel/within.ts';
import { epochMs, noteWork } from '../kernel/work.ts';
import { isExit } from './accept.ts';
import { LONGEST_ORDER_RETRY_MS, nextAttemptMs, nextReconcileMs } from './backoff.ts';
import { beginSending, claim, type JustAccepted, readUnsent, SEND_WITHIN_MS, type SendMode } from './claim.ts';
import type { IntentDefinition, IntentOf, Prepared, SentRequest, Urgency } from './define.ts';
import { findUnclaimed } from './follow.ts';
import type { Claim, Intent } from './intent.ts';
import { reconcile } from './reconcile.ts';
import { fail, leaveUndecided, markInDoubt, notifySettled, presume, retry, succeed } from './settle.ts';
import { freeSlot, noteLeft } from './slots.ts';
import type { Task } from './task.ts';
import { asUnsent } from './unsent.ts';

/** What `runIntent` needs from its process. */
export type Execution = {
  db: Db;
  /** Aborted when the process must stop. Calls in progress then end in doubt. */
  stopping: AbortSignal;
  /** Calls whose response may still arrive after their job has ended. */
  late: Set<Promise<unknown>>;
  /** Intents that need not be read. */
  accepted?: Pick<JustAccepted, 'take'>;
  /** The upstreams that reject the credentials of this process while others serve them. */
  pauses: Pick<Pauses, 'leaves'>;
};

type AnyPayload = Record<string, unknown>;

/**
 * The task of a verb. A queued intent is claimed and executed, one in doubt is reconciled, and an ended one is left
 * alone, as is one of another kind, which an operator may have queued it for. If bytes may already have left under an
 * earlier claim, the task plans a reconciliation and sends nothing.
 */
export const runIntent =
  <Deps, Request, Payload extends AnyPayload, Result>(
    verb: IntentDefinition<Deps, Request, Payload, Result>,
  ): Task<{ intent_id: IntentId }, Deps & Execution> =>
  async ({ intent_id }, deps) => {
    const prepared = verb.claimed === 'to_send' ? await prepareUnclaimed(verb, intent_id, deps) : null;
    if (prepared === 'over') return;
    const claimed = await claim(deps.db, { id: intent_id, kind: verb.kind });
    if (claimed?.sending_at)
      await markInDoubt(deps.db, claimed, 0, 'the worker that sent it ended before the response');
    else if (claimed)
      await execute(verb, parsed(verb, claimed), deps, prepared?.fence === claimed.fence ? prepared : null);
    else await resume(verb, intent_id, deps);
  };

/**
 * Prepares an intent that was never sent, and claims it in the commit that begins to send. Without that commit the intent is claimed
 * before anything else: what was prepared holds if the claim is the next one.
 */
async function prepareUnclaimed<Deps, Request, Payload extends AnyPayload, Result>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
  intentId: IntentId,
  deps: Deps & Execution,
): Promise<'over' | { fence: number; prepared: Prepared<Payload> } | null> {
  const unsent = deps.accepted?.take(intentId) ?? (await readUnsent(deps.db, intentId));
  if (unsent?.kind !== verb.kind) return null;
  const intent = parsed(verb, unsent);
  noteIntent(verb, intent);
  const payload = await verb.payloadIfReady?.(intent, deps);
  const ready = payload && (await sendAndRecord(verb, { intent, payload }, deps, { claims: true, ifReady: true }));
  if (ready && ready !== 'not_ready') return isOver(ready) ? 'over' : null;
  const prepared = await verb.prepare(intent, deps);
  if (!('send' in prepared)) return { fence: intent.fence, prepared };
  const mode = { claims: true, ifReady: false };
  const begun = await sendAndRecord(verb, { intent, payload: prepared.send }, deps, mode);
  return isOver(begun) ? 'over' : null;
}

/**
 * An intent that could not be claimed is in doubt or has ended. If it is expired, the claim itself has nearly always
 * ended it. If it ended while in doubt, it may still hold its slot.
 */
async function resume<Deps, Request, Payload extends AnyPayload, Result>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
  intentId: IntentId,
  deps: Deps & Execution,
): Promise<void> {
  const intent = await findUnclaimed(deps.db, intentId);
  if (intent?.kind !== verb.kind) return;
  if (intent.state === 'in_doubt') {
    const sent = parsed(verb, intent);
    noteIntent(verb, sent);
    await reconcile(verb, sent, deps);
  } else if (intent.state === 'expired') notifySettled(deps.db, intent, 'expired');
  else await freeSlot(deps.db, intent.id, false);
}

/**
 * From here on every log line names the owner of the intent and the request that submitted it, and calls for an exit, or for what exits wait for,
 * come first.
 */
const noteIntent = <Request>(verb: Urgency<Request>, { owner, request_id, request, exits_wait }: IntentOf<Request>) =>
  noteWork({
    tenant: owner,
    ...((isExit(verb, request) || exits_wait) && { isExit: true }),
    ...(request_id !== null && { request_id }),
  });

const parsed = <Request>(
  verb: Pick<IntentDefinition<never, Request, never, never>, 'request'>,
  intent: Intent,
): IntentOf<Request> => ({ ...intent, request: verb.request.parse(intent.request) });

async function execute<Deps, Request, Payload extends AnyPayload, Result>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
  intent: IntentOf<Request>,
  deps: Deps & Execution,
  known: { prepared: Prepared<Payload> } | null,
): Promise<void> {
  const { db } = deps;
  noteIntent(verb, intent);
  const prepared = known?.prepared ?? (await verb.prepare(intent, deps));
  if (intent.presumed_sent_at !== null) await presumeSent(db, intent, prepared);
  else if ('fail' in prepared) await fail(db, intent, prepared.fail);
  else if ('done' in prepared) await succeed(db, intent, prepared.done);
  else if ('wait' in prepared)
    await retry(db, intent, nextAttemptMs(intent.attempts, verb.slot && LONGEST_ORDER_RETRY_MS), prepared.wait);
  else if ((await sendAndRecord(verb, { intent, payload: prepared.send }, deps, CLAIMED)) === 'lost')
    await retry(db, intent, 0, { code: 'DEADLINE_PASSED' }); // the next claim ends it as expired
}

/**
 * An intent that a restored database shows as unsent may have been sent after the backup. Its
 * upstream is searched for what would be sent now, and nothing is sent. Without a payload nothing can prove its effect.
 */
async function presumeSent(db: Db, intent: Claim, prepared: Prepared<AnyPayload>): Promise<unknown> {
  if ('send' in prepared) return presume(db, intent, prepared.send);
  if ('wait' in prepared) return retry(db, intent, nextAttemptMs(intent.attempts), prepared.wait);
  if ('done' in prepared) return succeed(db, intent, prepared.done);
  return leaveUndecided(db, intent, prepared.fail);
}

const CLAIMED: SendMode = { claims: false, ifReady: false };

/**
 * What became of a payload. Nothing was sent if it waits for its slot, its claim is lost or its deadline has passed
 * (`lost`), or its trader is not ready.
 */
type SendResult = 'sent' | 'waiting' | 'lost' | 'not_ready';

/** Whether there is nothing more to do: it was sent, or whoever frees its slot sends it. */
const isOver = (result: SendResult): boolean => result === 'sent' || result === 'waiting';

async function sendAndRecord<Deps, Request, Payload extends AnyPayload, Result>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
  sent: SentRequest<Request, Payload>,
  deps: Deps & Execution,
  mode: SendMode,
): Promise<SendResult> {
  const { intent, payload } = sent;
  const notAfter = epochMs() + SEND_WITHIN_MS;
  const { patienceMs, inFlightMs } = verb.timing(deps);
  const slot = verb.slot?.(sent, deps);
  const begun = await beginSending(deps.db, intent, payload, {
    slot: slot && { ...slot, holdMs: inFlightMs },
    isExit: isExit(verb, intent.request),
    ...mode,
  }).catch((error: unknown) => putBackUnsent(deps.db, intent, error));
  if (begun === 'waiting') noteWork({ outcome: 'queued' });
  if (begun !== 'sent' && begun !== 'sent_by_proof') return begun;
  let respondedAt: number | undefined;
  const onResponse = (at = performance.now()) => {
    respondedAt = Math.min(respondedAt ?? at, at);
  };
  const onSent = () => keepUntilDone(deps.late, noteLeft(deps.db, intent));
  const limits = { notAfter, signal: deps.stopping, onResponse, ...(begun === 'sent_by_proof' && { onSent }) };
  const answered = () => (respondedAt === undefined ? sent : { ...sent, intent: { ...intent, respondedAt } });
  const sending = verb.send(sent, deps, limits).catch(asUnsent);
  const result = await within(sending, patienceMs);
  if (result !== null) {
    if (isForOthers(verb.kind, result, deps)) await retry(deps.db, intent, PASSED_ON_MS, { code: 'VENUE_AUTH' });
    else await verb.record(answered(), result, deps);
    return 'sent';
  }
  await markInDoubt(deps.db, intent, nextReconcileMs(intent.reconcile_attempts), `no response within ${patienceMs} ms`);
  keepUntilDone(
    deps.late,
    sending.then(async (late) => {
      if (isDefinite(late)) await verb.record(answered(), late, deps);
      if (slot && hasResponded(late)) await freeSlot(deps.db, intent.id, true); // its records may have ended it before this response
    }),
  );
  return 'sent';
}

const PASSED_ON_MS = 250;

/**
 * Only this worker knows that nothing was sent if the response to the commit that begins to send is lost: it puts the intent back at once, where
 * everyone else would have to presume that bytes left. Throws the error if there was no such commit, or the database is still away.
 */
async function putBackUnsent(db: Db, intent: Claim, error: unknown): Promise<'waiting'> {
  const isPutBack = databaseIsAway(error) && (await retry(db, intent, 0, { code: 'DEADLINE_PASSED' }, true));
  if (!isPutBack) throw error;
  return 'waiting';
}

/** Whether the upstream rejected the credentials of this process, not the request: another process sends it. */
const isForOthers = (kind: string, result: UpstreamResult<unknown>, { pauses }: Execution): boolean =>
  result.kind === 'rejected' && OUR_CREDENTIALS.has(result.slug) && pauses.leaves(kind);

/** Whether the upstream has responded, with whatever words: it no longer works on the request. */
const hasResponded = (result: UpstreamResult<unknown>): boolean =>
  isDefinite(result) || (result.kind === 'unknown' && (result.ended ?? result.acknowledged ?? false));

/** A response that arrives after its job has ended is still recorded if it accepts or rejects. */
const isDefinite = ({ kind }: UpstreamResult<unknown>) => kind === 'accepted' || kind === 'rejected';

function keepUntilDone(late: Set<Promise<unknown>>, work: Promise<unknown>): void {
  const done = work.catch(() => {}).finally(() => late.delete(done)); // a failure is ignored: the reconciliation settles the intent
  late.add(done);
}

type NoResponse = Exclude<UpstreamResult<unknown>, { kind: 'accepted' | 'rejected' }>;

/**
 * Records the results that every kind treats alike: nothing was sent, which is tried again after `longestMs` at most, or the effect
 * is unknown. False: the claim is lost.
 */
export async function recordNoResponse(
  db: Db,
  intent: Claim,
  result: NoResponse,
  longestMs?: number,
): Promise<boolean> {
  if (result.kind === 'unreachable')
    return retry(db, intent, nextAttemptMs(intent.attempts, longestMs), { code: 'VENUE_UNREACHABLE' }, true);
  const delayMs = result.acknowledged ? 0 : nextReconcileMs(intent.reconcile_attempts);
  return markInDoubt(db, intent, delayMs, result.why, result);
}
