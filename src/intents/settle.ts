import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { Held, Outcome, Problem } from './intent.ts';

const done = z.object({ ok: z.boolean() });

/** A fragment that ends an intent; true where this claim still held it. For statements that record more with it. */
export const settling = (held: Held, ending: 'succeeded' | 'failed' | 'expired', outcome: Outcome): FragmentSqlToken =>
  sql.fragment`settle_intent(${held.id}, ${held.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb)`;

/** Ends an intent whose effect is done. False: another claim has it or it has ended, and nothing was written. */
export const succeed = (db: Db, held: Held, result: Record<string, unknown>): Promise<boolean> =>
  db.oneFirst(sql.prepared('settle_intent', done)`select ${settling(held, 'succeeded', { result })} ok`);

/** Ends an intent whose effect provably never happened. False: another claim has it or it has ended. */
export const fail = (db: Db, held: Held, problem: Problem): Promise<boolean> =>
  db.oneFirst(sql.prepared('settle_intent', done)`select ${settling(held, 'failed', { problem })} ok`);

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
  held: Held,
  result: Record<string, unknown>,
  change: FragmentSqlToken,
): Promise<boolean> =>
  db.oneFirst(sql.prepared(name, done)`
    with settled as materialized (
      select ${settling(held, 'succeeded', { result })} ok
    ), changed as (
      ${change}
    )
    select ok
    from settled`);
