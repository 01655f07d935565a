import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { batch, numbered } from '../db/batch.ts';
import { databaseIsAway, databaseRejected, wasGivenUp } from '../db/conflicts.ts';
import type { Db } from '../db/pool.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { ApiError } from '../kernel/errors.ts';
import { type IntentId, idSchema, newIntentId, type OrderUuid, type OwnerId, orderIdOf } from '../kernel/ids.ts';
import { spanSince } from '../kernel/spans.ts';
import { within } from '../kernel/within.ts';
import { presentWork } from '../kernel/work.ts';
import type { Submittable, Urgency } from './define.ts';
import type { Intent } from './intent.ts';

/**
 * An intent to submit, in the shape that the SQL functions `accept_…` take. Each kind adds its own members. `alongside`: what it
 * is about and in which way, in two words; intents of one lane run beside each other if they are about something else, or about
 * the same in the same way. Without it an intent runs alone in its lane. `is_exit`: it reduces what its trader risks, which its
 * kind may say already. `given_id`: the caller's own name of the order; `id` is made of it (`idsOf`). `caller`: whose
 * `idempotency_key` it is; without it, the owner's.
 */
export type NewIntent = {
  id: IntentId;
  given_id?: OrderUuid;
  kind: string;
  is_exit?: boolean;
  owner: OwnerId;
  lane?: string;
  alongside?: string;
  request: Record<string, unknown>;
  digest: string;
  deadline_s: number;
  request_id?: string;
  idempotency_key?: string;
  caller?: string;
};

/**
 * The intent of a request. A new intent comes with its `written` row. For a replay it is the intent of the earlier,
 * equal request, without a row: the caller reads it.
 */
export type Accepted = { id: IntentId; replayed: boolean; written?: Intent };

/**
 * Writes one intent durably, or throws an `ApiError`. `reject` maps a verdict that is specific to the kind to its
 * error.
 */
export type Accept<O extends NewIntent> = (
  newIntent: O,
  reject?: (verdict: string) => ApiError | undefined,
) => Promise<Accepted>;

/** What a handler that submits intents uses of its process: the database, the acceptance of its kind, and settings of it. */
export type SubmitDeps<Acceptor extends string, Submitted extends NewIntent, Setting extends keyof Config> = {
  [Name in Acceptor]: Accept<Submitted>;
} & { config: Pick<Config, Setting>; db: Db };

/** Who submits, by which acceptance, and how long the intent may wait before it expires unsent. */
export type Submission<O extends NewIntent> = {
  accept: Accept<O>;
  context: Pick<NewIntent, 'owner' | 'caller' | 'digest' | 'idempotency_key'> & { request_id: string };
  deadlineMs: number;
};

/** Whether this request of a verb reduces what its trader risks. */
export const isExit = <Request>({ isExit: of = () => false }: Urgency<Request>, request: Request): boolean =>
  of === true || of(request);

/** The intent of a submission, with an id of its own. The verb says what its request is. */
export const intentFor = <Request extends Record<string, unknown>>(
  { context, deadlineMs }: Omit<Submission<never>, 'accept'>,
  verb: Submittable<Request>,
  request: NoInfer<Request>,
): NewIntent => ({
  ...context,
  id: newIntentId(),
  kind: verb.kind,
  is_exit: isExit(verb, request),
  request,
  deadline_s: deadlineMs / 1000,
});

/** The ids of a new intent about an order that its owner may have named. */
export const idsOf = (owner: OwnerId, name: OrderUuid | undefined): Pick<NewIntent, 'id' | 'given_id'> =>
  name === undefined ? { id: newIntentId() } : { id: orderIdOf(owner, name), given_id: name.toLowerCase() };

/** Makes a `reject` of the codes for the verdicts of a kind. Nothing was written for any of them. */
export const rejectionBy =
  (codes: Record<string, ErrorCode>) =>
  (verdict: string): ApiError | undefined => {
    const code = codes[verdict];
    return code && new ApiError(code, { effect: 'none' });
  };

const verdictRow = z.object({ n: z.number(), intent_id: idSchema.intent, verdict: z.string(), at: z.string() });
type Verdict = z.infer<typeof verdictRow> & { batchSize: number };

const RETRY_FOR_MS = 4_500; // long enough for a database restart
const PAUSE_MS = 200;
const LAST_MS = 1_000; // left for an attempt whose end decides whether the effect is known

/**
 * Makes a function that writes intents durably with one of the SQL functions `accept_…`. Concurrent requests share a
 * commit; each gets its own verdict. While the database is away, silent or gives the statement up, the same submission is repeated for up to
 * `RETRY_FOR_MS` in all; its id makes a repeat harmless. Then it throws: the error of the database if that rejected every
 * attempt, else an `ApiError` with the effect `unknown`.
 */
export function acceptance<O extends NewIntent>(
  db: Db,
  sqlFunction:
    | 'accept_intents'
    | 'accept_network_orders'
    | 'accept_exchange_orders'
    | 'accept_registrations'
    | 'accept_checkouts'
    | 'accept_free_accounts'
    | 'accept_trading_orders',
): Accept<O> {
  const accept = batch((newIntents: O[], lockMs) => acceptBatch(db, sqlFunction, newIntents, lockMs));
  return async (newIntent, reject = () => undefined) => {
    const startedAt = performance.now();
    const verdict = await acceptWithRetry(newIntent, accept);
    presentWork().spans?.add(spanSince(startedAt, spanOf(sqlFunction, verdict)));
    return acceptedOf(verdict, newIntent, reject);
  };
}

const spanOf = (name: string, { verdict, batchSize }: Verdict) => ({
  ...{ name, kind: 'internal' as const, hasFailed: false },
  attributes: { verdict, batch_size: batchSize },
});

async function acceptBatch(db: Db, sqlFunction: string, newIntents: NewIntent[], lockMs: number): Promise<Verdict[]> {
  const rows = await db.any(sql.prepared(sqlFunction, verdictRow)`
    select n, intent_id, verdict, now() as at
    from ${sql.identifier([sqlFunction])}(${numbered(newIntents, lockMs)})
    order by n`);
  return rows.map((row) => ({ ...row, batchSize: newIntents.length }));
}

async function acceptWithRetry<O extends NewIntent>(
  newIntent: O,
  accept: (newIntent: O) => Promise<Verdict>,
): Promise<Verdict> {
  const abandonAt = performance.now() + RETRY_FOR_MS;
  let isRejected = true; // every attempt so far, provably
  let attempt: Promise<Verdict | null> = accept(newIntent); // needs no timer of its own: the pool's limits are below RETRY_FOR_MS
  for (;;) {
    try {
      const verdict = await attempt;
      if (verdict) return verdict;
      isRejected = false;
    } catch (error) {
      if (!databaseIsAway(error) && !wasGivenUp(error)) throw error;
      isRejected &&= databaseRejected(error);
      if (isRejected && abandonAt - performance.now() < PAUSE_MS + LAST_MS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const leftMs = abandonAt - performance.now();
    if (leftMs <= 0) throw acceptanceUnknown(newIntent);
    attempt = within(accept(newIntent), leftMs);
  }
}

/** The commit may have succeeded although its response was lost. The caller can read the intent later by its id. */
const acceptanceUnknown = (newIntent: NewIntent) =>
  new ApiError('SERVICE_UNAVAILABLE', { effect: 'unknown', intent_id: newIntent.id });

function acceptedOf(
  { verdict, intent_id, at }: Verdict,
  newIntent: NewIntent,
  reject: (verdict: string) => ApiError | undefined,
): Accepted {
  if (verdict === 'accepted' && intent_id === newIntent.id)
    return { id: intent_id, replayed: false, written: asWritten(newIntent, at) };
  if (verdict === 'accepted') return { id: intent_id, replayed: true };
  if (verdict === 'replayed') return { id: intent_id, replayed: true };
  if (verdict === 'key_reused') throw new ApiError('IDEMPOTENCY_KEY_REUSED', { effect: 'none' });
  throw reject(verdict) ?? new Error(`Unknown verdict ${verdict}`);
}

/** The row that `accept_intents` writes for a new intent in a transaction with the time `at`. */
const asWritten = (
  { id, given_id, kind, owner, request_id, lane, request, deadline_s }: NewIntent,
  at: string,
): Intent => ({
  id,
  given_id: given_id ?? null,
  kind,
  owner,
  request_id: request_id ?? null,
  lane: lane ?? null,
  request: request,
  state: 'queued',
  sent_payload: null,
  outcome: null,
  fence: 0,
  attempts: 0,
  reconcile_attempts: 0,
  created_at: at,
  deadline_at: new Date(Date.parse(at) + deadline_s * 1_000).toISOString(),
  sending_at: null,
  presumed_sent_at: null,
  settled_at: null,
  sent_ago_ms: 0,
});
