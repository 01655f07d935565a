import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { batchPerPool, inOrder, numbered } from '../db/batch.ts';
import { hasCode } from '../db/conflicts.ts';
import type { Db } from '../db/pool.ts';
import { MOST_RECORDS } from '../kernel/request-records.ts';
import type { UnknownEffect } from '../kernel/upstream-result.ts';
import { epochMs, noteWork } from '../kernel/work.ts';
import type { NewIntent } from './accept.ts';
import type { Claim, Outcome, Problem } from './intent.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});

/** Ends an intent whose effect is done. False: another claim holds it or it has ended, and nothing was written. */
export const succeed = (db: Db, claim: Claim, result: Record<string, unknown>): Promise<boolean> =>
  settle(db, claim, 'succeeded', { result });

/** Ends an intent whose effect provably never happened. False: another claim holds it or it has ended. */
export const fail = (db: Db, claim: Claim, problem: Problem): Promise<boolean> =>
  settle(db, claim, 'failed', { problem });

/** Ends an intent whose effect nothing can prove any more. It stays unknown, and operators decide. */
export const leaveUndecided = (db: Db, claim: Claim, problem: Problem): Promise<boolean> =>
  settle(db, claim, 'failed', { problem: { ...problem, effect: 'unknown' } });

const settle = (db: Db, claim: Claim, ending: 'succeeded' | 'failed', outcome: Outcome): Promise<boolean> =>
  notifying(db, claim, ending, settlements(db, endingOf(claim, ending, outcome)));

/** One entry of a batch of endings. */
type Settlement = Pick<Claim, 'id' | 'kind' | 'owner' | 'fence' | 'lane'> & {
  ending: 'succeeded' | 'failed';
  outcome: Outcome;
  responded_s: number | null;
};

const endingOf = (claim: Claim, ending: Settlement['ending'], outcome: Outcome): Settlement => {
  const { id, kind, owner, fence, lane } = claim;
  return { id, kind, owner, fence, lane, ending, outcome, responded_s: respondedS(claim) };
};

/** The age in seconds of the response that ends a claim; null if no response did. */
const respondedS = ({ respondedAt }: Claim): number | null =>
  respondedAt === undefined ? null : (performance.now() - respondedAt) / 1_000;

/**
 * Concurrent endings of one kind share a commit. Kinds are separate because endings of money lock rows and event logs for which no order should wait.
 */
const settlements = batchPerPool(
  async (db, batch: Settlement[], lockMs): Promise<boolean[]> => {
    const rows = await db.any(sql.prepared('settle_intents', rowOfBatch)`
    ${settlingAll(batch, lockMs, sql.fragment`settle_intent`)}, emitted as materialized (
      select emit_ended(array_agg(id) filter (where ok), '{}')::text
      from settled
    )
    select n, ok
    from settled
    cross join emitted`);
    return inOrder(rows);
  },
  ({ kind }) => kind,
);

const rowOfBatch = done.extend({ n: z.number() });

/** Locks lanes in lane order, as submissions do, then event logs in the order of accounts and apps, to avoid deadlocks. */
const settlingAll = (batch: Settlement[], lockMs: number, by: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  with settled as materialized (
    select b.n, b.id, ${by}(b.id, b.fence, b.ending, b.outcome, b.responded_s) ok
    from (
      select r.*
      from jsonb_to_recordset(${numbered(batch, lockMs)}) as r (
        n integer, id uuid, owner text, fence integer, lane text, ending text, outcome jsonb, responded_s double precision
      )
      order by r.lane nulls last, r.owner, r.id, r.n
    ) b
  )`;

/**
 * Puts an unsent intent back in the queue for `delayMs`. If its deadline passes first, it ends with `problem`. `neverLeft`: not a byte
 * of its request has left, so no limit counts it. False: the claim is lost, or it is in doubt: its lane has gone on without it.
 */
export async function retry(db: Db, claim: Claim, delayMs: number, problem: Problem, neverLeft = false) {
  const ok = await db.oneFirst(sql.prepared('retry_intent', done)`
    select retry_intent(${claim.id}, ${claim.fence}, ${delayMs / 1000}, ${JSON.stringify({ problem })}::jsonb, ${neverLeft}) ok`);
  if (ok) noteWork({ outcome: 'queued' });
  return ok;
}

/**
 * `retry` for a request that was rejected without an effect. An intent in doubt ends with the problem instead: its caller may submit it again, and
 * no look-up is needed. Not for one that nobody could submit again.
 */
export const retryOrFail = async (db: Db, claim: Claim, delayMs: number, problem: Problem): Promise<boolean> =>
  (await retry(db, claim, delayMs, problem)) || fail(db, claim, problem);

/**
 * Records that the effect is unknown and plans the next reconciliation, `delayMs` from now. The lane continues with its
 * next intent. `why` is shown to operators. `ended`, `acknowledged`: the upstream has responded, so the intent's slot is
 * free. False: the claim is lost.
 */
export async function markInDoubt(
  db: Db,
  claim: Claim,
  delayMs: number,
  why: string,
  { ended, acknowledged }: Pick<UnknownEffect, 'ended' | 'acknowledged'> = {},
): Promise<boolean> {
  const isOver = ended === true || acknowledged === true;
  const ok = await db.oneFirst(sql.prepared('mark_in_doubt', done)`
    select mark_in_doubt(${claim.id}, ${claim.fence}, ${delayMs / 1000}, ${why}, ${acknowledged === true}, ${isOver}, ${respondedS(claim)}::float8) ok`);
  if (ok) noteWork({ outcome: 'in_doubt' });
  return ok;
}

/**
 * Puts an intent of a restored database in doubt with the payload that is searched for. Nothing is sent. False: the claim
 * is lost.
 */
export const presume = (db: Db, { id, fence }: Claim, payload: Record<string, unknown>): Promise<boolean> =>
  db.oneFirst(sql.type(done)`select presume_sent(${id}, ${fence}, ${JSON.stringify(payload)}::jsonb) ok`);

/**
 * Ends an intent and makes one more change in the same statement. `change` is an expression that makes it and yields the
 * orders that it closed, as `change_orders` does. It needs no condition: if the claim is lost, `settle_claim` raises, and
 * nothing of the statement is written. `name` is the name of the prepared statement.
 */
export const succeedWith = (
  db: Db,
  name: string,
  claim: Claim,
  result: Record<string, unknown>,
  change: FragmentSqlToken,
): Promise<boolean> =>
  settleBy(db, name, claim, { ending: 'succeeded', by: claimSettled(claim, 'succeeded', { result }), change });

/** Ends an intent and submits the next one, if any, in the same statement. False: the claim is lost, nothing is written. */
export const succeedAndSubmit = (
  db: Db,
  claim: Claim,
  result: Record<string, unknown>,
  next: NewIntent | null,
): Promise<boolean> =>
  next === null
    ? succeed(db, claim, result)
    : succeedWith(
        db,
        'succeed_and_submit',
        claim,
        result,
        sql.fragment`(select '{}'::uuid[] from accept_intents(${batchOf(next)}::jsonb))`,
      );

/** The batch for `accept_intents` that contains one intent, or none. */
export const batchOf = (next: NewIntent | null): string => JSON.stringify(next ? [{ ...next, n: 0 }] : []);

const claimSettled = (claim: Claim, ending: Settlement['ending'], outcome: Outcome): FragmentSqlToken =>
  sql.fragment`settle_claim(${claim.id}, ${claim.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb, ${respondedS(claim)}::float8)`;

/**
 * Makes a `succeedWith` for a kind whose intents end in large numbers and change the order of their own id: they share a
 * commit. If one claim of a batch is lost, the statement is undone, and the batch is run again one by one.
 */
export function succeedTogether<Data extends object>(
  name: string,
): (db: Db, claim: Claim, result: Record<string, unknown>, data: Data) => Promise<boolean> {
  const together = batchPerPool(async (db, batch: (Settlement & { data: Data })[], lockMs): Promise<true[]> => {
    const endings = batch.map(({ data: _, ...ending }) => ending);
    const settled = settlingAll(endings, lockMs, sql.fragment`settle_claim`);
    await db.query(sql.prepared(name, nothing)`
      ${settled}, all_settled as materialized (
        select array_agg(id) as ids
        from settled
      ), changed as materialized (
        select ids, change_orders(${JSON.stringify(batch.map(({ id, data }) => ({ ...data, id })))}::jsonb) as closed
        from all_settled
      )
      select emit_ended(ids, closed)::text
      from changed`);
    return batch.map(() => true);
  });
  return (db, claim, result, data) => {
    const ending = endingOf(claim, 'succeeded', { result });
    return notifying(db, claim, 'succeeded', unlessLost(together(db, { ...ending, data })));
  };
}

/** What ends a claim: `by` calls `settle_claim`, or a function that does so as part of its work. `change`: as in `succeedWith`. */
type ClaimEnding = { ending: Ending; by: FragmentSqlToken; change?: FragmentSqlToken };

/**
 * Ends a claim and makes one more change, in a statement that emits what ended and frees its slot as its last step. False: the claim is
 * lost, and nothing was written.
 */
export function settleBy(db: Db, name: string, claim: Claim, { ending, by, change }: ClaimEnding): Promise<boolean> {
  const statement = sql.prepared(name, nothing)`
    with settled as materialized (
      select ${by}
    ), changed as materialized (
      select ${change ?? sql.fragment`'{}'::uuid[]`} as closed
      from settled
    )
    select emit_ended(array[${claim.id}::uuid], closed)::text
    from changed`;
  return notifying(db, claim, ending, unlessLost(db.query(statement)));
}

const CLAIM_LOST = 'TP001'; // raised by settle_claim

const unlessLost = (statement: Promise<unknown>): Promise<boolean> =>
  statement.then(
    () => true,
    (error) => {
      if (hasCode(error, CLAIM_LOST)) return false;
      throw error;
    },
  );

/** A final state of an intent. */
export type Ending = 'succeeded' | 'failed' | 'expired';

/** Called with the kind and the ending, and with the seconds since the intent was submitted, by this process's clock. */
type SettledListener = {
  observe(ended: { kind: string; ending: Ending }, seconds: number): void;
  ended: { kind: string; owner: string; ending: string; seconds: number }[];
};

const listeners = new WeakMap<Db, SettledListener>();

/** Observes each intent that is ended through this pool, and adds it to a list, of up to `MOST_RECORDS`. */
export const onSettled = (db: Db, listener: SettledListener): void => void listeners.set(db, listener);

/** Resolves to whether an intent was ended, and calls the pool's listener if so. Every statement that ends one goes through here. */
async function notifying(db: Db, intent: Ended, ending: Ending, settled: Promise<boolean>): Promise<boolean> {
  const ok = await settled;
  if (ok) notifySettled(db, intent, ending);
  return ok;
}

type Ended = Pick<Claim, 'kind' | 'owner' | 'created_at'>;

/** Calls the pool's listener for an intent that has ended. */
export function notifySettled(db: Db, { kind, owner, created_at }: Ended, ending: Ending): void {
  noteWork({ outcome: ending });
  const seconds = Math.max(0, epochMs() - Date.parse(created_at)) / 1000;
  const { observe, ended } = listeners.get(db) ?? {};
  observe?.({ kind, ending }, seconds);
  if (ended && ended.length < MOST_RECORDS) ended.push({ kind, owner, ending, seconds });
}
