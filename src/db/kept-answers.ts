import { sql } from 'slonik';
import { z } from 'zod';
import type { Place, Sealer } from '../kernel/seal.ts';
import type { Db } from './pool.ts';

const ABANDONED_S = 60; // longer than any request lasts

/** A write's answer as it was given the first time. */
export type KeptAnswer = { status: number; body: unknown; headers?: Record<string, string> };

/** Under whose key, and for which request (its digest in hex). */
export type KeyUse = { caller: string; key: string; digest: string };

const reservation = z.object({
  verdict: z.enum(['fresh', 'under_way', 'kept', 'key_reused']),
  status: z.number().nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});

/** Reserves a key, or tells what it stands for. Only `fresh` may go on to write. */
export async function reserveKey(
  db: Db,
  sealer: Sealer,
  use: KeyUse,
): Promise<{ verdict: 'fresh' | 'under_way' | 'key_reused' } | { verdict: 'kept'; answer: KeptAnswer }> {
  const { verdict, sealed } = await db.one(sql.prepared('reserve_key', reservation)`
    select verdict, status, sealed
    from reserve_key(${use.caller}, ${use.key}, ${sql.binary(Buffer.from(use.digest, 'hex'))}, ${ABANDONED_S})`);
  if (verdict !== 'kept' || !sealed) return { verdict: verdict === 'kept' ? 'under_way' : verdict };
  return { verdict, answer: JSON.parse(sealer.open(sealed, placeOf(use)).toString()) };
}

/** Keeps the answer of a request that wrote, sealed. */
export async function keepAnswer(db: Db, sealer: Sealer, use: KeyUse, answer: KeptAnswer): Promise<void> {
  const sealed = sealer.seal(JSON.stringify(answer), placeOf(use));
  await db.query(sql.prepared('keep_answer', z.object({}))`
    update kept_answers
    set status = ${answer.status}, sealed = ${sql.binary(sealed)}
    where caller = ${use.caller} and key = ${use.key} and status is null`);
}

/** Gives a key back whose request was refused: nothing was written under it. */
export async function giveKeyBack(db: Db, { caller, key }: KeyUse): Promise<void> {
  await db.query(sql.prepared('give_key_back', z.object({}))`
    delete from kept_answers
    where caller = ${caller} and key = ${key} and status is null`);
}

const placeOf = ({ caller, key }: KeyUse): Place => ({
  table: 'kept_answers',
  row: `${caller} ${key}`,
  column: 'sealed',
});
