import { sql } from 'slonik';
import { z } from 'zod';
import { batchedOn, inOrder, numbered } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import { tellEnding } from './endings.ts';
import { type Held, type Intent, intentRow } from './intent.ts';

/** Columns of an intent, for queries that read it whole. */
export const intentColumns = sql.fragment`
  i.id, i.kind, i.owner, i.lane, i.state, i.asked, i.sent, i.outcome, i.fence, i.tries, i.looks,
  i.created_at, i.deadline_at, i.sending_at, i.settled_at,
  coalesce(extract(epoch from now() - i.sending_at), 0)::double precision * 1000 as sent_ago_ms`;

/**
 * Takes an intent and raises its fence. Null: it has ended, is being looked up, or its deadline passed unsent and it
 * ended here as expired. With `sending_at` set, bytes may have left before: look first, never send.
 */
export async function claim(db: Db, intentId: string): Promise<Intent | null> {
  const held = await claims(db, intentId);
  if (!held) await tellExpired(db, intentId);
  return held;
}

/** Claims that come together share a commit. Lanes are locked in their order, as acceptances lock them. Each claim has a fence of its own. */
const claims = batchedOn(async (db, ids: string[]): Promise<(Intent | null)[]> => {
  const rows = await db.any(sql.prepared('claim_intents', intentRow)`
    select ${intentColumns}
    from (
      select k.id
      from unnest(${sql.array(ids, 'uuid')}) as wanted (id)
      cross join lateral (
        select known.id, known.lane
        from intents known
        where known.id = wanted.id
        limit 1
      ) k
      order by k.lane nulls first, k.id
    ) w
    cross join lateral claim_intent(w.id) i`);
  const held = Map.groupBy(rows, ({ id }) => id);
  return ids.map((id) => held.get(id)?.shift() ?? null);
});

/** A claim that gives nothing has nearly always ended its intent as expired: one has one job, and that job was this one. */
async function tellExpired(db: Db, intentId: string): Promise<void> {
  const expired = await db.maybeOne(sql.prepared('expired_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id = ${intentId} and i.state = 'expired'`);
  if (expired) tellEnding(db, expired, 'expired');
}

/** An intent whose effect is unknown, to be looked up. The fence stays: a late answer of the sender may still settle it. */
export const findDoubtful = (db: Db, intentId: string): Promise<Intent | null> =>
  db.maybeOne(sql.prepared('doubtful_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id = ${intentId} and i.settled_at is null and i.state not in ('queued', 'running')`);

/** Commits what goes out and that bytes may leave from now on. False: the claim is lost or the deadline has passed, so nothing may be sent. */
export const beginSending = (db: Db, { id, fence }: Held, sent: Record<string, unknown>): Promise<boolean> =>
  beginnings(db, { id, fence, sent });

type Beginning = Pick<Held, 'id' | 'fence'> & { sent: Record<string, unknown> };

/** Commits that come together are one. */
const beginnings = batchedOn(async (db, batch: Beginning[]): Promise<boolean[]> => {
  const rows = await db.any(sql.prepared('begin_sendings', z.object({ n: z.number(), ok: z.boolean() }))`
    select b.n, begin_sending(b.id, b.fence, b.sent) ok
    from (
      select r.n, r.id, r.fence, r.sent
      from jsonb_to_recordset(${numbered(batch)}::jsonb) as r (n integer, id uuid, fence integer, sent jsonb)
      order by r.id, r.n
    ) b`);
  return inOrder(rows);
});
