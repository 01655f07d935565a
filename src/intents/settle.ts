import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { batchedOn, inOrder, numbered } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import { telling } from './endings.ts';
import type { Held, Intent, Outcome, Problem } from './intent.ts';

const done = z.object({ ok: z.boolean() });

/** A fragment that ends an intent; true where this claim still held it. For statements that record more with it. */
export const settling = (held: Held, ending: 'succeeded' | 'failed' | 'expired', outcome: Outcome): FragmentSqlToken =>
  sql.fragment`settle_intent(${held.id}, ${held.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb)`;

/** Ends an intent whose effect is done. False: another claim has it or it has ended, and nothing was written. */
export const succeed = (db: Db, held: Intent, result: Record<string, unknown>): Promise<boolean> =>
  settle(db, held, 'succeeded', { result });

/** Ends an intent whose effect provably never happened. False: another claim has it or it has ended. */
export const fail = (db: Db, held: Intent, problem: Problem): Promise<boolean> =>
  settle(db, held, 'failed', { problem });

const settle = (db: Db, held: Intent, ending: 'succeeded' | 'failed', outcome: Outcome): Promise<boolean> =>
  telling(db, held, ending, settlements(db, { id: held.id, fence: held.fence, lane: held.lane, ending, outcome }));

/** An ending on its way into a batch. */
type Ending = Pick<Intent, 'id' | 'fence' | 'lane'> & { ending: 'succeeded' | 'failed'; outcome: Outcome };

/** Endings that come together share a commit. */
const settlements = batchedOn(async (db, batch: Ending[]): Promise<boolean[]> => {
  const rows = await db.any(
    sql.prepared('settle_intents', rowOfBatch)`${settlingAll(batch)} select n, ok from settled`,
  );
  return inOrder(rows);
});

const rowOfBatch = done.extend({ n: z.number() });

/** Lanes are locked in their order, as acceptances lock them. */
const settlingAll = (batch: Ending[]): FragmentSqlToken => sql.fragment`
  with settled as materialized (
    select b.n, b.id, settle_intent(b.id, b.fence, b.ending, b.outcome) ok
    from (
      select r.*
      from jsonb_to_recordset(${numbered(batch)}::jsonb) as r (n integer, id uuid, fence integer, lane text, ending text, outcome jsonb)
      order by r.lane nulls first, r.id, r.n
    ) b
  )`;

/** Tries again after a while, nothing having been sent. `problem` is what it ends with if its deadline comes first. */
export const retry = (db: Db, held: Held, delayMs: number, problem: Problem): Promise<boolean> =>
  db.oneFirst(sql.prepared('retry_intent', done)`
    select retry_intent(${held.id}, ${held.fence}, ${delayMs / 1000}, ${JSON.stringify({ problem })}::jsonb) ok`);

/** Records that the effect is unknown and plans the next look, `delayMs` from now. Its lane goes on. */
export const doubt = (db: Db, held: Held, delayMs: number): Promise<boolean> =>
  db.oneFirst(sql.prepared('doubt_intent', done)`select doubt_intent(${held.id}, ${held.fence}, ${delayMs / 1000}) ok`);

/**
 * Ends an intent and makes one more change in the same statement. The change names `settled` in its condition
 * (`and (select ok from settled)`), so that a lost claim changes neither. `name` is the prepared statement's.
 */
export const succeedWith = (
  db: Db,
  name: string,
  held: Intent,
  result: Record<string, unknown>,
  change: FragmentSqlToken,
): Promise<boolean> =>
  telling(
    db,
    held,
    'succeeded',
    db.oneFirst(sql.prepared(name, done)`
    with settled as materialized (
      select ${settling(held, 'succeeded', { result })} ok
    ), changed as (
      ${change}
    )
    select ok
    from settled`),
  );

/**
 * Makes a `succeedWith` for a kind of which many end together: they share a commit. `change` writes all of a batch's changes; it
 * joins `settled (n, id, ok)`, and the batch's own `data` by `n`.
 */
export function succeedTogether<Data extends object>(
  name: string,
  change: (data: string) => FragmentSqlToken,
): (db: Db, held: Intent, result: Record<string, unknown>, data: Data) => Promise<boolean> {
  const together = batchedOn(async (db, batch: (Ending & { data: Data })[]): Promise<boolean[]> => {
    const rows = await db.any(sql.prepared(name, rowOfBatch)`
      ${settlingAll(batch.map(({ data: _, ...ending }) => ending))}, changed as (
        ${change(numbered(batch.map(({ data }) => data)))}
      )
      select n, ok
      from settled`);
    return inOrder(rows);
  });
  return (db, held, result, data) => {
    const { id, fence, lane } = held;
    const ending = { id, fence, lane, ending: 'succeeded' as const, outcome: { result } };
    return telling(db, held, 'succeeded', together(db, { ...ending, data }));
  };
}
