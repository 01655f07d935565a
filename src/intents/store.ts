import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { batchPerPool, each, inOrder, numbered } from '../db/batch.ts';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import { epochMs, noteWork } from '../kernel/work.ts';
import { type Held, type Intent, intentRow, type Outcome, type Problem } from './intent.ts';

const done = z.object({ ok: z.boolean() });

/**
 * A fragment that ends an intent and yields whether this claim still held it. For statements that write more in one
 * step.
 */
export const settling = (held: Held, ending: 'succeeded' | 'failed' | 'expired', outcome: Outcome): FragmentSqlToken =>
  sql.fragment`settle_intent(${held.id}, ${held.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb)`;

/** Ends an intent whose effect is done. False: another claim holds it or it has ended, and nothing was written. */
export const succeed = (db: Db, held: Held, result: Record<string, unknown>): Promise<boolean> =>
  settle(db, held, 'succeeded', { result });

/** Ends an intent whose effect provably never happened. False: another claim holds it or it has ended. */
export const fail = (db: Db, held: Held, problem: Problem): Promise<boolean> => settle(db, held, 'failed', { problem });

/** Ends an intent whose effect nothing can prove any more. It stays unknown, and operators decide. */
export const leaveUndecided = (db: Db, held: Held, problem: Problem): Promise<boolean> =>
  settle(db, held, 'failed', { problem: { ...problem, effect: 'unknown' } });

const settle = (db: Db, held: Held, ending: 'succeeded' | 'failed', outcome: Outcome): Promise<boolean> =>
  notifying(db, held, ending, settlements(db, { id: held.id, fence: held.fence, lane: held.lane, ending, outcome }));

/** One entry of a batch of endings. */
type Settlement = Pick<Held, 'id' | 'fence' | 'lane'> & { ending: 'succeeded' | 'failed'; outcome: Outcome };

/** Concurrent endings share a commit. */
const settlements = batchPerPool(async (db, batch: Settlement[]): Promise<boolean[]> => {
  const rows = await db.any(
    sql.prepared('settle_intents', rowOfBatch)`${settlingAll(batch)} select n, ok from settled`,
  );
  return inOrder(rows);
});

const rowOfBatch = done.extend({ n: z.number() });

/** Lanes are locked in lane order, as submissions lock them, to avoid deadlocks. */
const settlingAll = (batch: Settlement[]): FragmentSqlToken => sql.fragment`
  with settled as materialized (
    select b.n, b.id, settle_intent(b.id, b.fence, b.ending, b.outcome) ok
    from (
      select r.*
      from jsonb_to_recordset(${numbered(batch)}::jsonb) as r (n integer, id uuid, fence integer, lane text, ending text, outcome jsonb)
      order by r.lane nulls first, r.id, r.n
    ) b
  )`;

/**
 * Puts an unsent intent back in the queue for `delayMs`. If its deadline passes first, it ends with `problem`. False:
 * the claim is lost.
 */
export async function retry(db: Db, held: Held, delayMs: number, problem: Problem): Promise<boolean> {
  const ok = await db.oneFirst(sql.prepared('retry_intent', done)`
    select retry_intent(${held.id}, ${held.fence}, ${delayMs / 1000}, ${JSON.stringify({ problem })}::jsonb) ok`);
  if (ok) noteWork({ outcome: 'queued' });
  return ok;
}

/**
 * Records that the effect is unknown and plans the next reconciliation, `delayMs` from now. The lane continues with its
 * next intent. `why` is shown to operators. `ended`: the upstream has responded, so the intent's slot is free. False: the
 * claim is lost.
 */
export async function markInDoubt(db: Db, held: Held, delayMs: number, why: string, ended = false): Promise<boolean> {
  const marked = sql.fragment`mark_in_doubt(${held.id}, ${held.fence}, ${delayMs / 1000}, ${why}) ok`;
  const { ok } = await db.one(
    ended
      ? sql.prepared('mark_ended_in_doubt', done)`select ${marked}, release_slot(${held.id})::text`
      : sql.prepared('mark_in_doubt', done)`select ${marked}`,
  );
  if (ok) noteWork({ outcome: 'in_doubt' });
  return ok;
}

/** Puts an intent of a restored database in doubt with the payload that is searched for. Nothing is sent. False: the claim is lost. */
export const presume = (db: Db, { id, fence }: Held, payload: Record<string, unknown>): Promise<boolean> =>
  db.oneFirst(sql.type(done)`select presume_sent(${id}, ${fence}, ${JSON.stringify(payload)}::jsonb) ok`);

/**
 * Ends an intent and makes one more change in the same statement. The change must have `settled` in its condition
 * (`and (select ok from settled)`), so that a lost claim writes neither. `name` is the name of the prepared statement.
 */
export const succeedWith = (
  db: Db,
  name: string,
  held: Held,
  result: Record<string, unknown>,
  change: FragmentSqlToken,
): Promise<boolean> =>
  notifying(
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
 * Makes a `succeedWith` for a kind whose intents end in large numbers: they share a commit. `change` writes all changes
 * of a batch. It joins `settled (n, id, ok)` with the `data` of the batch by `n`.
 */
export function succeedTogether<Data extends object>(
  name: string,
  change: (data: string) => FragmentSqlToken,
): (db: Db, held: Held, result: Record<string, unknown>, data: Data) => Promise<boolean> {
  const together = batchPerPool(async (db, batch: (Settlement & { data: Data })[]): Promise<boolean[]> => {
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
    return notifying(db, held, 'succeeded', together(db, { ...ending, data }));
  };
}

/** A final state of an intent. */
export type Ending = 'succeeded' | 'failed' | 'expired';

/** Called with the kind and the ending, and with the seconds since the intent was submitted, by this process's clock. */
type SettledListener = (ended: { kind: string; ending: Ending }, seconds: number) => void;

const listeners = new WeakMap<Db, SettledListener>();

/** Calls `listener` once for each intent that is ended through this pool. */
export const onSettled = (db: Db, listener: SettledListener): void => void listeners.set(db, listener);

/** Resolves to whether an intent was ended, and calls the pool's listener if so. Every statement that ends one goes through here. */
export async function notifying(db: Db, intent: Ended, ending: Ending, settled: Promise<boolean>): Promise<boolean> {
  const ok = await settled;
  if (ok) notifySettled(db, intent, ending);
  return ok;
}

type Ended = Pick<Held, 'kind' | 'created_at'>;

/** Calls the pool's listener for an intent that has ended. */
export function notifySettled(db: Db, { kind, created_at }: Ended, ending: Ending): void {
  noteWork({ outcome: ending });
  listeners.get(db)?.({ kind, ending }, Math.max(0, epochMs() - Date.parse(created_at)) / 1000);
}

/**
 * Records that the upstream has responded to a look-up after the intent was sent. Resolves to the milliseconds since the
 * first such response. The intent's slot is held for `holdMs` from then on.
 */
export const noteReached = async (db: Db, intentId: IntentId, holdMs: number): Promise<number> =>
  1_000 *
  (await db.oneFirst(
    sql.prepared('note_reached', z.object({ s: z.number() }))`select note_reached(${intentId}, ${holdMs / 1000}) s`,
  ));

/** Frees the slot of an intent, if it still holds one: because the upstream has responded, else once the hold is over. */
export const freeSlot = async (db: Db, intentId: IntentId, hasResponded: boolean): Promise<void> => {
  await db.query(sql.prepared('free_slot', z.object({}))`
    select release_slot(h.intent_id)::text
    from upstream_slots h
    where h.intent_id = ${intentId} and (${hasResponded} or h.held_until <= now())`);
};

/** The columns of `intentRow`, for queries that read a whole intent with the table alias `i`. */
export const intentColumns = sql.fragment`
  i.id, i.kind, i.owner, i.request_id, i.lane, i.state, i.request, i.sent_payload, i.outcome, i.fence, i.attempts, i.reconcile_attempts,
  i.created_at, i.deadline_at, i.sending_at, i.presumed_sent_at, i.settled_at,
  coalesce(extract(epoch from now() - i.sending_at), 0)::double precision * 1000 as sent_ago_ms`;

/**
 * Claims an intent and raises its fence. Concurrent claims share a commit; each gets its own fence. Null: the intent
 * has ended, is in doubt, or its deadline passed before it was sent and this claim ended it as expired. If `sending_at`
 * is set, bytes may have left earlier: the caller reconciles and never sends. Lanes are locked in lane order, as
 * submissions lock them, to avoid deadlocks.
 */
export const claim: (db: Db, intentId: IntentId) => Promise<Intent | null> = batchPerPool(
  async (db, ids: IntentId[]): Promise<(Intent | null)[]> => {
    const rows = await db.any(sql.prepared('claim_intents', intentRow)`
    select ${intentColumns}
    from (
      select k.id
      from ${each(ids)} as wanted (id)
      cross join lateral (
        select known.id, known.lane
        from intents known
        where known.id = wanted.id::uuid
        limit 1
      ) k
      order by k.lane nulls first, k.id
    ) w
    cross join lateral claim_intent(w.id) i`);
    const held = Map.groupBy(rows, ({ id }) => id);
    return ids.map((id) => held.get(id)?.shift() ?? null);
  },
);

/** A slot to take before sending, held for at most `holdMs`. */
export type SlotWanted = { upstream: string; slots: number; holdMs: number };

/**
 * Commits the payload, and that bytes may leave from now on (`sent`). `lost`: the claim is lost or the deadline has passed.
 * `waiting`: every slot of the upstream is held; the intent continues when one is free. The caller must not send then.
 */
export const beginSending = (
  db: Db,
  { id, fence }: Pick<Held, 'id' | 'fence'>,
  sent: Record<string, unknown>,
  slot?: SlotWanted,
): Promise<SendBegun> => beginSendings(db, { id, fence, sent, ...slot });

type SendStart = Pick<Held, 'id' | 'fence'> & { sent: Record<string, unknown> } & Partial<SlotWanted>;
const sendBegun = z.enum(['sent', 'waiting', 'lost']);
type SendBegun = z.infer<typeof sendBegun>;

/** Concurrent calls share a commit. Slots are taken upstream by upstream, to avoid deadlocks. */
const beginSendings = batchPerPool(async (db, batch: SendStart[]): Promise<SendBegun[]> => {
  const rows = await db.any(sql.prepared('begin_sendings', z.object({ n: z.number(), begun: sendBegun }))`
    select b.n,
      case
        when b.upstream is not null
          then begin_sending_within(b.id, b.fence, b.sent, b.upstream, b.slots, b."holdMs" / 1000)
        when begin_sending(b.id, b.fence, b.sent) then 'sent'
        else 'lost'
      end as begun
    from (
      select r.*
      from jsonb_to_recordset(${numbered(batch)}::jsonb) as r (
        n integer, id uuid, fence integer, sent jsonb, upstream text, slots integer, "holdMs" double precision
      )
      order by r.upstream nulls first, r.id, r.n
    ) b`);
  return rows.toSorted((a, b) => a.n - b.n).map(({ begun }) => begun);
});
