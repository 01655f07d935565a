import { sql } from 'slonik';
import { z } from 'zod';
import { batch, each } from '../db/batch.ts';
import type { Db } from '../db/pool.ts';
import { DIRECT_READ_MS, type Settlements } from '../db/settled.ts';
import { codeOfV2 } from '../kernel/codes-of-v2.ts';
import { errors, isErrorCode } from '../kernel/error-codes.ts';
import { ApiError } from '../kernel/errors.ts';
import { type IntentId, idSchema, type OrderUuid, type OwnerId, orderIdOf, orderIdsOf } from '../kernel/ids.ts';
import type { Accepted, NewIntent } from './accept.ts';
import { intentColumns, intentOf } from './claim.ts';
import { effectOf, type Intent, intentRow, type Problem } from './intent.ts';
import { type IntentWait, retryAfterOf, shownWait, waitOf } from './waits.ts';

/**
 * Waits, for at most `waitMs`, for a row to end whose changes are announced on the LISTEN connection under its id.
 * Resolves to the row as last read, ended or not. It is first read at its announcement or after `unreadMs`. `announced`: the row, if the
 * announcement had it.
 */
export type Until = <Row>(
  id: string,
  waitMs: number,
  read: (announced: string | null) => Promise<{ row: Row; ended: boolean }>,
  unreadMs?: number,
) => Promise<Row>;

/** Makes a bounded wait from the LISTEN connection. Once `stopping` is aborted, every wait ends at its next read. */
export const untilEnded =
  (settlements: Settlements, stopping: AbortSignal): Until =>
  async (id, waitMs, read, unreadMs = 0) => {
    const until = performance.now() + waitMs; // not the time, which a failover may set back
    let announced: string | null = null;
    if (unreadMs > 0 && !stopping.aborted && settlements.isListening())
      announced = await settlements.next(id, Math.min(waitMs, unreadMs)).notified;
    for (;;) {
      const left = stopping.aborted ? 0 : Math.max(0, until - performance.now());
      const { notified, cancel } = settlements.next(id, left); // before the read, so that no settlement is missed
      const { row, ended } = await read(announced);
      if (ended || left === 0) {
        cancel();
        return row;
      }
      announced = await notified;
    }
  };

/** Waits for an intent to end, for at most `waitMs`. Resolves to its current row, ended or not. */
export type Wait = (accepted: Accepted, waitMs: number) => Promise<Intent>;

/**
 * Makes the wait for intents. A wait of 0 for a new intent returns its written row without a query, and one that is
 * announced is not read. An intent that is open at the end of the wait comes with what it waits for; without it if that
 * cannot be read then.
 */
export const waiting =
  (
    read: IntentReader,
    until: Until,
    why: (intentId: IntentId) => Promise<IntentWait | null> = async () => null,
  ): Wait =>
  async ({ id, written }, waitMs) => {
    if (written && waitMs === 0) return written;
    const current = async (announced: string | null) => {
      const row = announced === null ? await read(id) : intentOf(announced);
      if (!row) throw new Error('An accepted intent is missing');
      return { row, ended: row.settled_at !== null };
    };
    const intent = await until(id, waitMs, current, written ? DIRECT_READ_MS : 0);
    return intent.settled_at === null ? { ...intent, wait: await why(id).catch(() => null) } : intent;
  };

/**
 * Reads one intent; concurrent reads share a query. It checks no owner: only for ids that this process accepted itself.
 */
export type IntentReader = (intentId: IntentId) => Promise<Intent | null>;

/**
 * Makes the shared intent reader of a process. `limit 1` keeps the query on the index, even with a plan made while the
 * table was nearly empty.
 */
export function intentReader(db: Db): IntentReader {
  return batch(async (ids: IntentId[]) => {
    const rows = await db.any(sql.prepared('read_intents', intentRow)`
      select ${intentColumns}
      from ${each(ids)} as wanted (id)
      cross join lateral (
        select *
        from intents
        where intents.id = wanted.id::uuid
        limit 1
      ) i`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });
}

/**
 * The intent, if this owner has it, by its id or the owner's name of the order that it places, and what it waits for; else null.
 * The result does not reveal that another owner has the id.
 */
export async function findIntent(db: Db, owner: OwnerId, intentId: IntentId): Promise<Intent | null> {
  const intent = await db.maybeOne(sql.prepared('find_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id in (${sql.join(orderIdsOf(owner, intentId), sql.fragment`, `)}) and i.owner = ${owner}`);
  return intent?.settled_at === null ? { ...intent, wait: await waitOf(db, intent.id) } : intent;
}

/**
 * The intent that an equal request has submitted under the same Idempotency-Key, or as the order that the owner calls `name`; null if there is
 * none, or none that keeps the key.
 */
export async function findSubmitted(
  db: Db,
  { owner, idempotency_key: key, digest }: Pick<NewIntent, 'owner' | 'idempotency_key' | 'digest'>,
  name?: OrderUuid,
): Promise<Accepted | null> {
  if (key === undefined && name === undefined) return null;
  const id = await db.maybeOneFirst(sql.prepared('find_submitted', z.object({ id: idSchema.intent }))`
    select i.id
    from idempotency_keys k
    join intents i on i.id = k.intent_id and spends_key(i)
    where k.owner = ${owner} and k.key = ${key ?? null} and k.digest = decode(${digest}, 'hex')
    union all
    select i.id
    from intents i
    where i.id = ${name === undefined ? null : orderIdOf(owner, name)} and i.owner = ${owner} and i.digest = decode(${digest}, 'hex')
    limit 1`);
  return id && { id, replayed: true };
}

/** Handles the rejection of a request: returns what an equal request has submitted before (see `findSubmitted`); else throws the rejection again. */
export const orEarlier =
  (db: Db, context: Parameters<typeof findSubmitted>[1], name?: OrderUuid) =>
  async (error: unknown): Promise<Accepted> => {
    const earlier = error instanceof ApiError ? await findSubmitted(db, context, name) : null;
    if (earlier) return earlier;
    throw error;
  };

/**
 * Finds an intent that cannot be claimed: in doubt, or ended. Its fence is unchanged: a late response may still settle
 * it.
 */
export const findUnclaimed = (db: Db, intentId: IntentId): Promise<Intent | null> =>
  db.maybeOne(sql.prepared('unclaimed_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id = ${intentId} and i.state not in ('queued', 'running')`);

/** The error in the response to a failed or expired intent. */
function errorOf(intent: Pick<Intent, 'id'>, problem: Problem): ApiError {
  if (!isErrorCode(problem.code)) throw new Error(`Unknown problem ${problem.code}`);
  return new ApiError(problem.code, {
    effect: problem.effect ?? 'none',
    ...(problem.effect && { retryable: false }),
    intent_id: intent.id,
    ...(problem.message !== undefined && { message: problem.message }),
    ...(problem.reason !== undefined && { reason: problem.reason }),
    ...(problem.retry_after_s !== undefined && { retryAfterS: problem.retry_after_s }),
  });
}

/** The members of a recorded result. Null: the record does not hold one, or not of this type. */
export type RecordedMembers<Shape extends z.ZodRawShape> = { [Name in keyof Shape]: z.output<Shape[Name]> | null };

/**
 * The result of a settled intent by the members of its verb's schema. Its effect is done, so it is returned whatever
 * the record holds. Null while it has not settled. Throws the recorded problem of one that failed or expired.
 */
export function resultOf<Shape extends z.ZodRawShape>(
  intent: Intent,
  schema: z.ZodObject<Shape>,
): RecordedMembers<Shape> | null {
  const recorded = recordedResult(intent);
  return recorded && shownMembers(recorded, schema);
}

/** The members of a result that have the type of the schema; null for every other one. */
export const shownMembers = <Shape extends z.ZodRawShape>(
  recorded: Record<string, unknown>,
  { shape }: z.ZodObject<Shape>,
): RecordedMembers<Shape> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, member]) => [name, z.safeParse(member, recorded[name]).data ?? null]),
  ) as RecordedMembers<Shape>; // as: the entries of `shape`, each parsed by its own schema

/** The whole result of a settled intent, as recorded. Null and errors as in `resultOf`. */
export const recordedResult = (intent: Intent): Record<string, unknown> | null =>
  hasSucceeded(intent) && intent.outcome && 'result' in intent.outcome ? intent.outcome.result : null;

/** Whether an intent has succeeded; false while it has not settled. Throws the recorded problem of one that failed or expired. */
export function hasSucceeded({ settled_at, outcome, ...intent }: Intent): boolean {
  if (settled_at === null || outcome === null) return false;
  if ('problem' in outcome) throw errorOf(intent, outcome.problem);
  return true;
}

/** An intent in the shape that the API shows to its owner. */
export function shownIntent(intent: Intent) {
  const outcome = intent.settled_at === null ? null : intent.outcome;
  return {
    intent_id: intent.id,
    kind: intent.kind,
    state: intent.state,
    effect: effectOf(intent),
    created_at: intent.created_at,
    deadline_at: intent.deadline_at,
    sending_at: intent.sending_at,
    settled_at: intent.settled_at,
    waits_for: intent.wait ? shownWait(intent.wait) : null,
    result: outcome && 'result' in outcome ? outcome.result : null,
    problem: outcome && 'problem' in outcome ? shownProblem(intent, outcome.problem) : null,
  };
}

/** The same on a route of v2, where a problem has its code of v2. */
export function intentOfV2(intent: Intent) {
  const { problem, ...shown } = shownIntent(intent);
  return { ...shown, problem: problem && { ...problem, code: codeOfV2(problem.code) } };
}

function shownProblem(intent: Intent, problem: Problem) {
  const apiError = errorOf(intent, problem);
  return {
    code: apiError.code,
    message: apiError.details.message ?? errors[apiError.code][1],
    retryable: apiError.retryable,
    ...(problem.reason !== undefined && { reason: problem.reason }),
    ...(apiError.retryAfterS !== undefined && { retry_after_s: apiError.retryAfterS }),
  };
}

/** Headers of a 202 response: where to poll, and after how many seconds. */
export const pendingHeaders = (location: string, { wait }: Pick<Intent, 'wait'> = {}) => ({
  Location: location,
  'Retry-After': retryAfterOf(wait),
});

/** The member of a 202 response that says what the intent waits for; none if that was not read. */
export const waitMember = ({ wait }: Pick<Intent, 'wait'>) => (wait ? { waits_for: shownWait(wait) } : {});
