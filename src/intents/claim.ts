import { LRUCache } from 'lru-cache';
import { sql } from 'slonik';
import { z } from 'zod';
import type { SlotAt } from '../capacity/network.ts';
import { batchPerPool, each, numbered, numberedJson } from '../db/batch.ts';
import type { Db } from '../db/pool.ts';
import { mostEntries } from '../kernel/cache.ts';
import type { IntentId } from '../kernel/ids.ts';
import { type Claim, type Intent, intentRow, unsentRow } from './intent.ts';

/** The first byte leaves within this time of `sending_at`, or nothing is sent, however busy the process is: other bounds count from there. */
export const SEND_WITHIN_MS = 2_000;

/** The columns of `intentRow`, for queries that read a whole intent with the table alias `i`. */
export const intentColumns = sql.fragment`
  i.id, i.given_id, i.kind, i.owner, i.request_id, i.lane, i.state, i.request, i.sent_payload, i.outcome, i.fence, i.attempts, i.reconcile_attempts,
  i.created_at, i.deadline_at, i.sending_at, i.presumed_sent_at, i.settled_at,
  coalesce(extract(epoch from now() - i.sending_at), 0)::double precision * 1000 as sent_ago_ms`;

/**
 * Claims an intent of a kind and raises its fence. Concurrent claims share a commit; each gets its own fence. Null: the intent has ended, is in
 * doubt or of another kind, or its deadline passed before it was sent and this claim ended it as expired. If `sending_at` is set, bytes may have
 * left earlier: the caller reconciles and never sends. Locks lanes in lane order, as submissions do, then event logs in the order of accounts and
 * apps, to avoid deadlocks.
 */
export const claim: (db: Db, of: OfKind) => Promise<Intent | null> = batchPerPool(
  async (db, wanted: OfKind[], lockMs): Promise<(Intent | null)[]> => {
    const rows = await db.any(sql.prepared('claim_intents', unsentRow)`
    with claimed as materialized (
      select i.*
      from (
      select k.id
      from jsonb_to_recordset(${numbered(wanted, lockMs)}) as wanted (id uuid, kind text)
      cross join lateral (
        select known.id, known.kind, known.lane, known.owner
        from intents known
        where known.id = wanted.id
        limit 1
      ) k
      where k.kind = wanted.kind
      order by k.lane nulls last, k.owner, k.id
      ) w
      cross join lateral claim_intent(w.id) i
    ), emitted as materialized (
      select emit_ended(array_agg(c.id) filter (where c.state = 'expired'), '{}')::text
      from claimed c
    )
    select ${intentColumns}, exits_wait_behind(i.lane, i.position) as exits_wait
    from claimed i
    cross join emitted
    where i.state <> 'expired'`);
    const claims = Map.groupBy(rows, nameOf);
    return wanted.map((one) => claims.get(nameOf(one))?.shift() ?? null);
  },
);

type OfKind = Pick<Intent, 'id' | 'kind'>;
const nameOf = ({ id, kind }: OfKind) => `${kind} ${id}`;

/**
 * Reads an intent that was never sent, as it is once `beginSending` has claimed it; concurrent reads share a query. Null: only `claim` can tell
 * what it is.
 */
export const readUnsent: (db: Db, intentId: IntentId) => Promise<Intent | null> = batchPerPool(
  async (db, ids: IntentId[]): Promise<(Intent | null)[]> => {
    const rows = await db.any(sql.prepared('read_unsent', unsentRow)`
    select ${intentColumns}, exits_wait_behind(i.lane, i.position) as exits_wait
    from ${each(ids)} as wanted (id)
    cross join lateral (
      select *
      from intents
      where intents.id = wanted.id::uuid
      limit 1
    ) i
    where i.settled_at is null and i.sending_at is null and i.state <> 'in_doubt' and i.presumed_sent_at is null and i.deadline_at > now()`);
    const unsent = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = unsent.get(id);
      return row ? asClaimed(row) : null;
    });
  },
);

const asClaimed = (row: Intent): Intent => ({
  ...row,
  state: 'running',
  fence: row.fence + 1,
  attempts: row.attempts + 1,
});

const time = z.string().transform((text) => new Date(text).toISOString());

const announcedRow = intentRow.extend({
  created_at: time,
  deadline_at: time,
  sending_at: time.nullable(),
  presumed_sent_at: time.nullable(),
  settled_at: time.nullable(),
});

/** The row of an intent as `announce_intent` announces it: the columns of `intentRow` as JSON. */
export const intentOf = (announced: string): Intent => announcedRow.parse(JSON.parse(announced));

const REMEMBERED_MS = 15_000;
const MOST_REMEMBERED = 2_000;

/** Order verbs that were just accepted, as the database announces them to every worker: whoever executes one need not read it. */
export type JustAccepted = {
  remember(id: IntentId, row: string): void;
  /** The intent as `readUnsent` returns it, once. The fence decides later whether it is still current. Undefined: it has to be read. */
  take(id: IntentId): Intent | undefined;
};

export function justAccepted(): JustAccepted {
  const rows = new LRUCache<IntentId, string>({ ...mostEntries(MOST_REMEMBERED), ttl: REMEMBERED_MS });
  return {
    remember: (id, row) => void rows.set(id, row, { size: 1 }),
    take(id) {
      const row = rows.get(id);
      rows.delete(id);
      return row === undefined ? undefined : asClaimed({ ...intentOf(row), exits_wait: false }); // nothing was behind it
    },
  };
}

/** A slot to take before sending, held for at most `holdMs`. */
export type SlotWanted = SlotAt & { holdMs: number };

/** `claims`: this claims what `readUnsent` read. `ifReady`: only if its trader is ready (SQL function `is_ready`). `isExit`: it reduces a risk. */
export type SendMode = { claims: boolean; ifReady: boolean; isExit?: boolean };

/**
 * Commits the payload, and that bytes may leave from now on: `sent`, or `sent_by_proof` if `noteLeft` is to be called once all of the request has
 * left. `lost`: the claim is lost or the deadline has passed. `not_ready`: nothing was written.
 * `waiting`: every slot of the upstream is held, its pace is used up, or operators have paused it or the owner; the intent continues when it may
 * be sent. The caller must not send then.
 */
export const beginSending = (
  db: Db,
  { id, fence }: Pick<Claim, 'id' | 'fence'>,
  sent: Record<string, unknown>,
  { slot, claims = false, ...mode }: { slot?: SlotWanted | undefined } & Partial<SendMode> = {},
): Promise<SendBegun> =>
  beginSendings(db, { ifReady: false, ...mode, id, fence: claims ? fence - 1 : fence, claims, sent, ...slot });

type SendStart = Pick<Claim, 'id' | 'fence'> & SendMode & { sent: Record<string, unknown> } & Partial<SlotWanted>;
const sendBegun = z.enum(['sent', 'sent_by_proof', 'waiting', 'lost', 'not_ready']);
type SendBegun = z.infer<typeof sendBegun>;

/** Concurrent calls share a commit, upstream by upstream, to avoid deadlocks; not a purchase, whose event log settlements lock before a line. */
const beginSendings = batchPerPool(beginAll, ({ upstream }) => (upstream === undefined ? 'no slots' : 'slots'));

async function beginAll(db: Db, batch: SendStart[], lockMs: number): Promise<SendBegun[]> {
  const paces = batch.map(({ pace }) => ({ name: pace?.name }));
  const rows = await db.any(sql.prepared('begin_sendings', z.object({ n: z.number(), begun: sendBegun }))`
  select b.n,
    case
      when b."ifReady" and is_ready(b.id) is not true then 'not_ready'
      when wait_for_pause(b.id, b.fence, coalesce(b."isExit", false), b.claims) then 'waiting'
      when b.upstream is not null
        then begin_sending_within(
          b.id, b.fence, b.sent, b.upstream, b.slots, b."holdMs" / 1000, b."forExits", b."isExit",
          b.pace ->> 'name', (b.pace ->> 'perMinute')::integer, (b.pace ->> 'forExits')::integer, b.claims
        )
      when begin_sending(b.id, b.fence, b.sent, b.claims) then 'sent'
      else 'lost' end as begun
  from (
    select r.*
    from lock_paces(array(select p.name from jsonb_to_recordset(${numbered(paces, lockMs)}) as p (name text))) locked
    cross join jsonb_to_recordset(${numberedJson(batch)}::jsonb) as r (
      n integer, id uuid, fence integer, claims boolean, "ifReady" boolean, sent jsonb, upstream text, slots integer, "holdMs" double precision,
      "forExits" integer, "isExit" boolean, pace jsonb
    )
    order by r.upstream nulls first, r.id, r.n
  ) b`);
  return rows.toSorted((a, b) => a.n - b.n).map(({ begun }) => begun);
}
