import type { Processor } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import {
  absent,
  accepted,
  found,
  type ReadResult,
  type RecordedRejection,
  type UpstreamResult,
  unknownEffect,
} from '../kernel/upstream-result.ts';
import { nextAttemptMs } from './backoff.ts';
import { defineIntent, type Finding, type IntentDefinition, type SentRequest, type Timing } from './define.ts';
import type { Claim, Intent, Problem } from './intent.ts';
import { type Execution, recordNoResponse, runIntent } from './run.ts';
import { fail, retry } from './settle.ts';
import type { Task } from './task.ts';

/** The dependencies of every verb at the processor. */
export type ProcessorDeps = {
  db: Db;
  processor: Processor;
  config: { NETVENUE_PATIENCE_MS: number; NETVENUE_IN_FLIGHT_MS: number };
};

type ProcessorIntent<Deps, Request, Payload extends Record<string, unknown>, Result> = Pick<
  IntentDefinition<Deps, Request, Payload, Result>,
  'kind' | 'retention' | 'request' | 'payload' | 'prepare'
> & {
  /** Sends the payload under an idempotency key: the intent's id, each time. */
  call(payload: NoInfer<Payload>, processor: Processor, key: IntentId): Promise<UpstreamResult<Result>>;
  /** Searches the processor's lists for the object that was made from the payload. */
  find?(payload: NoInfer<Payload>, processor: Processor, sent: Mark): Promise<ReadResult<Result>>;
  /**
   * What concerns the platform and not this write makes it wait: our key, an outage. Called at each attempt that was not
   * made; the verb records why. Without it, our key ends the intent.
   */
  onWait?(db: Db, id: IntentId, problem: Problem): Promise<unknown>;
  /** The problem of a rejection with this slug, where it is another one than that the processor rejected the request. */
  problemOf?(slug: string): Problem | null;
  /**
   * Whether a write of unknown effect may still be made now. Absent: it must not be, and operators decide. Without it, always.
   */
  mayRepeat?(payload: NoInfer<Payload>, deps: NoInfer<Deps>): Promise<ReadResult<unknown>>;
  /**
   * Ends the intent with what the processor has accepted. Every other result is recorded in the same way for all verbs.
   */
  record(
    sent: SentRequest<NoInfer<Request>, NoInfer<Payload>>,
    data: NoInfer<Result>,
    deps: NoInfer<Deps>,
  ): Promise<boolean>;
};

/**
 * What a write carries at the processor: its intent's id. `sinceMs`: when it was first sent (epoch ms). `isPresumed`: of a restored
 * database, which may have lost the intent that sent it and made another.
 */
type Mark = { key: IntentId; sinceMs: number; isPresumed: boolean };

/** An intent whose request may have been sent. */
type SentIntent = Pick<Intent, 'id' | 'sending_at' | 'sent_payload'> & Partial<Pick<Intent, 'presumed_sent_at'>>;

/** A verb whose writes can be found again: what the processor's lists hold of an intent. */
export type FindableVerb = {
  kind: string;
  findSent(intent: SentIntent, processor: Processor): Promise<ReadResult<unknown>>;
};

/**
 * Defines a verb at the processor. Where the effect of a write is unknown, the processor's lists are searched for it first.
 * `call` sends it, and repeats it under the same key while the processor keeps that, if the lists do not have it.
 */
export const defineProcessorIntent = <
  Deps extends ProcessorDeps,
  Request,
  Payload extends Record<string, unknown>,
  Result,
>({
  call,
  find = async () => absent,
  mayRepeat = async () => found(null),
  onWait,
  problemOf = () => null,
  record,
  ...verb
}: ProcessorIntent<Deps, Request, Payload, Result>): IntentDefinition<Deps, Request, Payload, Result> &
  FindableVerb => {
  const findSent = ({ id, sending_at, sent_payload, presumed_sent_at = null }: SentIntent, processor: Processor) => {
    const mark = { key: id, sinceMs: Date.parse(sending_at ?? ''), isPresumed: presumed_sent_at !== null };
    return find(verb.payload.parse(sent_payload), processor, mark);
  };
  const definition = defineIntent<Deps, Request, Payload, Result>({
    ...verb,
    claimed: 'to_prepare',
    timing: processorTiming,
    send: ({ intent, payload }, { processor }) => call(payload, processor, intent.id),
    reconcile: async ({ intent, payload }, deps) =>
      findingOf(intent, await findSent(intent, deps.processor), {
        mayRepeat: () => mayRepeat(payload, deps),
        again: () => call(payload, deps.processor, intent.id),
      }),
    async record(sent, result, deps) {
      if (result.kind !== 'accepted')
        return recordProcessorFailure(deps.db, sent.intent, result, { onWait, problemOf });
      return record(sent, result.data, deps);
    },
  });
  return { ...definition, findSent };
};

/**
 * The task of a verb at the processor. While none is configured, nothing is sent: a queued intent waits until its
 * deadline and then expires, and one in doubt stays in doubt.
 */
export function runProcessorIntent<
  Deps extends ProcessorDeps,
  Request,
  Payload extends Record<string, unknown>,
  Result,
>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
): Task<{ intent_id: IntentId }, Omit<Deps & Execution, 'processor'> & { processor: Processor | null }> {
  const run = runIntent(verb);
  const wait = runIntent({
    ...verb,
    prepare: async () => ({ wait: { code: 'V2_PAYMENTS_NOT_CONFIGURED' } }),
    reconcile: async () => unknownEffect('no processor is configured'),
  });
  // as: `run` gets the processor that is there, and `wait` calls nothing that uses one
  return (payload, deps) => (deps.processor ? run : wait)(payload, deps as unknown as Deps & Execution);
}

/** The time limits of the network also hold for the processor: a worker has one limit for all its calls. */
const processorTiming = ({ config }: ProcessorDeps): Timing => ({
  patienceMs: config.NETVENUE_PATIENCE_MS,
  inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
});

/**
 * The processor keeps idempotency keys for at least 24 h (docs.stripe.com/api/idempotent_requests, API v1). One hour is
 * subtracted for clock differences and requests in flight. `ops.assess_rerun` rejects a re-run after the same time: a test compares them.
 */
export const KEYS_KEPT_MS = 23 * 60 * 60 * 1000;

const UNDECIDABLE = { kind: 'undecidable', problem: { code: 'PROCESSOR_SILENT' } } as const;

/**
 * Reconciles at an upstream that stores our idempotency keys. What its lists hold decides. If they have nothing, the same
 * request with the same key returns the first response, marked as such, or is executed now if the first request never
 * arrived. Its key and rate checks come before the keys are looked up, so an unmarked rejection leaves the effect unknown.
 * After the keys have expired a repeat could execute the request twice, so the finding is `undecidable` and nothing is
 * sent. Nothing is repeated either while the lists cannot be read, or if what the write needs is not there any more.
 */
async function findingOf<Result>(
  intent: { sent_ago_ms: number },
  seen: ReadResult<Result>,
  repeat: { mayRepeat: () => Promise<ReadResult<unknown>>; again: () => Promise<UpstreamResult<Result>> },
): Promise<Finding<Result>> {
  if (seen.kind === 'found') return accepted(seen.data);
  if (intent.sent_ago_ms > KEYS_KEPT_MS) return UNDECIDABLE;
  if (seen.kind === 'unreadable') return unknownEffect(seen.why);
  const may = await repeat.mayRepeat();
  if (may.kind === 'unreadable') return unknownEffect(may.why);
  return may.kind === 'absent' ? UNDECIDABLE : findingOfRepeat(await repeat.again());
}

/**
 * What the response to a repeat proves about the request that was sent first. An acceptance is proof, and so is the upstream's stored response to the
 * first request. Every other response concerns the repeat alone: its credentials, its form, the rate, or a present fault.
 */
function findingOfRepeat<Result>(result: UpstreamResult<Result>): Finding<Result> {
  if (result.kind === 'accepted' || result.kind === 'unknown' || isRecorded(result)) return result;
  return unknownEffect(result.kind === 'rejected' ? `a repeat was rejected: ${result.slug}` : result.why);
}

const isRecorded = (result: UpstreamResult<unknown>): result is RecordedRejection =>
  result.kind === 'rejected' && 'recorded' in result;

/** Records any result of the processor other than `accepted`. False: the claim is lost, and nothing was written. */
async function recordProcessorFailure(
  db: Db,
  intent: Claim,
  result: Exclude<UpstreamResult<unknown>, { kind: 'accepted' }>,
  { onWait, problemOf }: Waiting,
): Promise<boolean> {
  if (result.kind === 'unknown') return recordNoResponse(db, intent, result);
  if (result.kind === 'rejected' && result.slug !== 'processor_auth')
    return fail(db, intent, problemOf(result.slug) ?? { code: 'PROCESSOR_REJECTED', reason: result.slug });
  const problem: Problem = { code: result.kind === 'rejected' ? 'PROCESSOR_AUTH' : 'PROCESSOR_UNREACHABLE' };
  if (result.kind === 'rejected' && !onWait) return fail(db, intent, problem);
  await onWait?.(db, intent.id, problem);
  return retry(db, intent, nextAttemptMs(intent.attempts), problem);
}

type Waiting = {
  onWait: ((db: Db, id: IntentId, problem: Problem) => Promise<unknown>) | undefined;
  problemOf(slug: string): Problem | null;
};
