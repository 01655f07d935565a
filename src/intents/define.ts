import { z } from 'zod';
import type { SlotAt } from '../capacity/network.ts';
import type { Accepted, RecordedRejection, UnknownEffect, UpstreamResult } from '../kernel/upstream-result.ts';
import type { Intent, Problem } from './intent.ts';

/** The kind of a verb, the schema of its requests, and which of them reduce what their trader risks: what is needed to submit one. */
export type Submittable<Request> = { kind: string; request: z.ZodType<Request> } & Urgency<Request>;

/** `isExit`: whether the verb reduces what its trader risks: always (as the table `intent_kinds` says too), or for some requests. */
export type Urgency<Request> = { isExit?: true | ((request: NoInfer<Request>) => boolean) };

/** A schema for each member that `T` requires. */
type RequiredMembers<T> = {
  [Name in keyof T as Record<never, never> extends Pick<T, Name> ? never : Name]: z.ZodType<T[Name]>;
};

/**
 * Schema of an object. It checks the required members and the type of the value. The optional members pass unchanged:
 * the contract checked them when they came, or the verb built them.
 */
export const objectWith = <T extends object>(required: RequiredMembers<T>): z.ZodType<T> =>
  z.looseObject(required) as unknown as z.ZodType<T>; // as: what is optional is not checked again

/** An intent whose request has been parsed by its verb's schema. */
export type IntentOf<Request> = Omit<Intent, 'request'> & { request: Request };

/**
 * What `prepare` decides. `send`: the payload is committed and sent. `fail`: it cannot be sent; the intent ends with
 * effect none. `wait`: it cannot be sent yet; the intent is retried until its deadline and then ends with this problem.
 * `done`: the request is already fulfilled without a call; the intent ends with this result.
 */
export type Prepared<Payload> = { send: Payload } | NotReady | { done: Record<string, unknown> };

/** Why nothing is sent, yet or at all. */
export type NotReady = { fail: Problem } | { wait: Problem };

/** Whether a value that a verb prepares from is a reason to send nothing. */
export const isNotReady = (value: object): value is NotReady => 'fail' in value || 'wait' in value;

/**
 * What a reconciliation found: a record of what the upstream did or rejected, proof that it has no such request
 * (`absent`), or nothing yet. The rejection of a look-up or of a repeat is no finding: it says nothing about the request
 * that was sent. `isOver`: the request cannot be in flight, whatever the time since it was sent. `isOwed`: nobody could submit the intent again, so
 * it is prepared and sent again within its deadline. `undecidable`: no later read can prove anything. The intent ends with the problem
 * and an unknown effect, and an operator decides.
 */
export type Finding<Result> =
  | Accepted<Result>
  | RecordedRejection
  | UnknownEffect
  | { kind: 'absent'; isOver?: true; isOwed?: true }
  | { kind: 'undecidable'; problem: Problem };

/** `patienceMs`: how long to wait for a response. `inFlightMs`: how long a sent request can still take effect. */
export type Timing = { patienceMs: number; inFlightMs: number };

/**
 * `notAfter` (epoch ms): the first byte leaves before this time, or nothing is sent. `signal` aborts when the process
 * must stop. `onSent`, if there is one, is called once all of the request has left, and `onResponse` once its response is here, and
 * once more if that says that the upstream may have been done earlier (`at`, as `performance.now()`): what an upstream of limited
 * concurrency works on is counted by them.
 */
export type SendLimits = {
  notAfter: number;
  signal: AbortSignal;
  onSent?: () => void;
  onResponse?: (at?: number) => void;
};

/** A request that may have been sent: its intent, and the payload committed before the first byte. */
export type SentRequest<Request, Payload> = { intent: IntentOf<Request>; payload: Payload };

/**
 * What decides when a settled intent is deleted. `alone`: its own age. `with_order`: it is kept as long as the order it
 * placed. `alone_or_with_order`: as its order if it made one, else by its own age. `with_money`: it records a money
 * movement and is never deleted. The table `intent_kinds` holds the same values for the SQL that prunes.
 */
type Retention = 'alone' | 'with_order' | 'alone_or_with_order' | 'with_money';

/**
 * One verb: a write at an upstream with at most one effect per intent. `runIntent` claims, commits and retries. The
 * verb decides what is sent, what a response means, and how an unknown effect is resolved. Every step may run again
 * after a crash.
 */
export type IntentDefinition<Deps, Request, Payload extends Record<string, unknown>, Result> = Urgency<Request> & {
  /** The stored name of the kind. It is also the name of its task. */
  kind: string;
  retention: Retention;
  /** Schema of the stored request. A row that does not parse is a bug and throws. */
  request: z.ZodType<Request>;
  /** Schema of the payload that is committed before the first byte is sent. */
  payload: z.ZodType<Payload>;
  /**
   * The upstream never acts on two requests of one intent: it knows the intent's id. A request that provably never arrived
   * because our worker ended is sent again then, within the deadline.
   */
  deduplicates?: boolean;
  /**
   * When a worker claims an intent that was never sent. `to_prepare`: before `prepare`, which no other claim then runs at the same time.
   * `to_send`: in the commit that begins to send, which saves one; for a `prepare` that writes nothing about the intent.
   */
  claimed: 'to_prepare' | 'to_send';
  timing(deps: NoInfer<Deps>): Timing;
  /**
   * The slot that a request needs before it is sent. Without a free one the intent waits, unsent, within its deadline. A
   * slot is held until the response, else for the in-flight time.
   */
  slot?(sent: SentRequest<NoInfer<Request>, NoInfer<Payload>>, deps: NoInfer<Deps>): SlotAt;
  prepare(intent: IntentOf<NoInfer<Request>>, deps: Deps): Promise<Prepared<NoInfer<Payload>>>;
  /**
   * Of a verb that is claimed `to_send`: what is sent if the trader is ready at the network, which the commit that begins to send proves (the SQL
   * function `is_ready`) without a read before it. Null, or not ready: `prepare` decides.
   */
  payloadIfReady?(intent: IntentOf<NoInfer<Request>>, deps: NoInfer<Deps>): Promise<NoInfer<Payload> | null>;
  /** Called after the payload was committed: once per intent, and again only if the first request provably never left or had no effect. */
  send(
    sent: SentRequest<NoInfer<Request>, NoInfer<Payload>>,
    deps: NoInfer<Deps>,
    limits: SendLimits,
  ): Promise<UpstreamResult<Result>>;
  /**
   * Called while the effect is unknown, as often as needed. It must not send anything that could take effect a second
   * time. The response to a repeat becomes a finding only through `findingOfRepeat`.
   */
  reconcile(
    sent: SentRequest<NoInfer<Request>, NoInfer<Payload>>,
    deps: NoInfer<Deps>,
  ): Promise<Finding<NoInfer<Result>>>;
  /**
   * Ends the intent, or puts it back in the queue, as the result requires. False: nothing was written, because the claim is lost or an intent in
   * doubt cannot go back to the queue.
   */
  record(
    sent: SentRequest<NoInfer<Request>, NoInfer<Payload>>,
    result: UpstreamResult<NoInfer<Result>>,
    deps: NoInfer<Deps>,
  ): Promise<boolean>;
};

/**
 * Returns the definition unchanged and checks the types of its parts against each other. The types of request and
 * payload follow from the schemas, the type of the result from `send`, and the type of the dependencies from `prepare`.
 */
export const defineIntent = <Deps, Request, Payload extends Record<string, unknown>, Result>(
  definition: IntentDefinition<Deps, Request, Payload, Result>,
): IntentDefinition<Deps, Request, Payload, Result> => definition;
