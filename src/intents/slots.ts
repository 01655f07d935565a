import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import { SEND_WITHIN_MS } from './claim.ts';
import type { Claim, Intent } from './intent.ts';

const reachedRow = z.object({ seconds: z.number(), now_s: z.number().nullable(), is_wanted: z.boolean() });

/** A request that left this long before a look-up was sent has arrived before the look-up, whose round trip bounds the delay of the network. */
const travelledWithinMs = (tookMs: number): number => 20 + 2 * tookMs;
/** The same for a request of which only the time of the commit before it is known. */
const sentWithinMs = (tookMs: number): number => SEND_WITHIN_MS + travelledWithinMs(tookMs);

/** This long after a response to a look-up, nearly every earlier response is recorded. One that is recorded later corrects the proof. */
const RECORDED_WITHIN_MS = 300;
/** How long it may take until the age of a response, recorded with it, reaches the database. */
const AGE_WITHIN_MS = 50;

/**
 * Records that the upstream has responded to a look-up after the intent was sent. Resolves to the milliseconds since the
 * first such response. The intent's slot is held for `holdMs` from then on. If others wait for a slot, a response that came at once proves a thread.
 */
export const noteReached = async (
  db: Db,
  { id, sent_ago_ms }: Pick<Intent, 'id' | 'sent_ago_ms'>,
  { holdMs, tookMs }: { holdMs: number; tookMs: number },
): Promise<number> => {
  const { seconds, now_s, is_wanted } = await db.one(sql.prepared('note_reached', reachedRow)`
    select note_reached(i.id, ${holdMs / 1000}) as seconds, extract(epoch from now() - i.sending_at)::float8 as now_s,
      has_line(i.upstream) as is_wanted
    from intents i
    where i.id = ${id}`);
  if (now_s !== null && is_wanted && tookMs < AT_ONCE_MS) {
    await sleep(RECORDED_WITHIN_MS);
    const askedS = (sent_ago_ms - sentWithinMs(tookMs)) / 1_000;
    const leftS = (sent_ago_ms - travelledWithinMs(tookMs)) / 1_000;
    await db.query(sql.prepared('release_by_proof', z.object({}))`
      select release_by_proof(${id}, ${askedS}, ${leftS}, ${now_s + AGE_WITHIN_MS / 1_000})::text`);
  }
  return 1_000 * seconds;
};

/** Records that all of a request has left, for proofs of threads. */
export const noteLeft = async (db: Db, { id, fence }: Pick<Claim, 'id' | 'fence'>): Promise<void> => {
  await db.query(sql.prepared('note_left', z.object({}))`select note_left(${id}, ${fence})::text`);
};

/**
 * After how many milliseconds an intent in doubt should be looked up again to prove a free thread for intents that wait for a slot; infinite if none
 * waits.
 */
export async function proofInMs(db: Db, intentId: IntentId): Promise<number> {
  const again = await db.oneFirst(
    sql.prepared('hurry_doubts', z.object({ again_s: z.number().nullable() }))`
      select hurry_doubts(i.upstream) as again_s
      from intents i
      where i.id = ${intentId}`,
  );
  const spread = 0.5 + Math.random(); // so that requests that were sent together are not looked up together
  return again === null ? Number.POSITIVE_INFINITY : 1_000 * again * spread;
}

/** Whether the upstream took the request of an intent at least `agoMs` ago: the request is over, and its effect can be read. */
export const wasAnswered = (db: Db, intentId: IntentId, agoMs: number): Promise<boolean> =>
  db.exists(sql.prepared('was_answered', z.object({}))`
    select
    from intents i
    where i.id = ${intentId} and i.answered_at >= i.sending_at and i.answered_at <= now() - make_interval(secs => ${agoMs / 1000})`);

/** A look-up that takes no longer than this did not wait for a thread of the upstream. */
const AT_ONCE_MS = 1_000;

/** Frees the slot of an intent, if it still holds one: because the upstream has responded, else once the hold is over. */
export const freeSlot = async (db: Db, intentId: IntentId, hasResponded: boolean): Promise<void> => {
  await db.query(sql.prepared('free_slot', z.object({}))`select free_slot(${intentId}, ${hasResponded})::text`);
};

/** Counts against an upstream's limit in a minute what it did by itself while it worked on a request. */
export const spendPace = async (db: Db, pace: string, count: number): Promise<void> => {
  await db.query(sql.prepared('spend_pace', z.object({}))`select spend_pace(${pace}, ${count})::text`);
};
