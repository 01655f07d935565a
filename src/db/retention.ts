import path from 'node:path';
import type { Logger } from 'pino';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { type Batch, inBatches, type Run, takingAll } from './batches.ts';
import type { Db } from './pool.ts';

const DAY_S = 86_400;
const KEYS_DAYS = 7; // the contract promises that an Idempotency-Key returns its first response for this long

const REQUESTS_DAYS = 7; // the workbench shows a week

type Retained = Pick<
  Config,
  'RETAIN_INTENTS_DAYS' | 'RETAIN_ORDERS_DAYS' | 'RETAIN_EVENTS_DAYS' | 'RETAIN_SESSIONS_DAYS'
>;

/** The dependencies of `prune`. */
export type PruneDeps = { db: Db; config: Retained; stopping: AbortSignal; log: Pick<Logger, 'info'> };

const MOST = 1_000; // rows per batch, so that locks are held only for milliseconds
const WITHIN_MS = 10_000; // less than a stopping worker waits for its tasks

/**
 * Deletes rows past their retention in small batches, until none are left or the time is up. While rows are left the next
 * run follows at once; it begins with what this one did not reach, and ends with what failed, which may take all the time.
 * Records how far behind it is. Throws, after all others, what failed.
 */
export async function prune({ db, config, stopping, log }: PruneDeps): Promise<void> {
  const progress = await readProgress(db);
  const kinds = inTurn(prunings(db, config, progress), progress);
  const run = await inBatches(kinds, { most: MOST, withinMs: WITHIN_MS, signal: stopping });
  if (Object.keys(run.taken).length > 0) log.info({ pruned: run.taken }, 'pruned expired rows');
  await recordRun(db, run, progress);
  await forgetFormer(db, Object.keys(kinds));
  if (run.left.length > 0 && !stopping.aborted) await runAgain(db, 'housekeeping/prune');
  const [failed] = Object.values(run.failed);
  if (failed) throw failed;
}

/**
 * By kind: the key of the last row that was looked at; how long the oldest of the last batch was past its retention, null
 * if that is not known; and its turn.
 */
type Progress = Record<string, { after: string; behindS: number | null; turn: number }>;

const progressRow = z.object({ name: z.string(), after: z.string(), turn: z.number() });

/** Where the last run ended, if it left rows. So what stays for years is not looked at by every run. */
async function readProgress(db: Db): Promise<Progress> {
  const rows = await db.any(sql.type(progressRow)`
    select r.name, r.after, rank() over (order by r.failed_at is not null, r.ran_at) as turn
    from retention_runs r`);
  return Object.fromEntries(rows.map(({ name, after, turn }) => [name, { after, behindS: null, turn }]));
}

/** What the last run did not reach comes first, what failed last; others in their order. */
const inTurn = (kinds: Record<string, Batch>, progress: Progress): Record<string, Batch> => {
  const turnOf = (name: string) => progress[name]?.turn ?? 0;
  return Object.fromEntries(Object.entries(kinds).toSorted(([a], [b]) => turnOf(a) - turnOf(b)));
};

/**
 * What is pruned, and after how many days. Keys come first: an intent stays while a key refers to it. Rows of other
 * tables stay, or are deleted when they expire. sql/README.md lists the retention of every table; a test compares it
 * with the database.
 */
export const prunings = (db: Db, config: Retained, progress: Progress = {}): Record<string, Batch> => {
  const created = sql.fragment`t.created_at`;
  const expires = sql.fragment`t.expires_at`;
  const events = config.RETAIN_EVENTS_DAYS * DAY_S;
  const sessions = config.RETAIN_SESSIONS_DAYS * DAY_S;
  return {
    idempotency_keys: deleteOld(db, 'idempotency_keys', { since: created, ageS: KEYS_DAYS * DAY_S, only: HAS_ENDED }),
    idempotent_responses: deleteOld(db, 'idempotent_responses', { since: created, ageS: KEYS_DAYS * DAY_S }),
    intents: expiry(db, 'expire_intents', config.RETAIN_INTENTS_DAYS, progress),
    orders: expiry(db, 'expire_orders', config.RETAIN_ORDERS_DAYS, progress),
    lanes: expiry(db, 'expire_lanes', 0, progress),
    events: expiry(db, 'expire_events', config.RETAIN_EVENTS_DAYS, progress),
    mails: deleteOld(db, 'mails', { since: created, ageS: events, only: sql.fragment`t.state <> 'queued'` }),
    dead_jobs: pruneBatch(db, 'prune_dead_jobs', config.RETAIN_EVENTS_DAYS),
    processor_events: expiry(db, 'expire_processor_events', config.RETAIN_INTENTS_DAYS, progress),
    user_sessions: deleteOld(db, 'user_sessions', { since: expires, ageS: sessions }),
    admin_sessions: deleteOld(db, 'admin_sessions', { since: expires, ageS: sessions }),
    api_requests: pruneBatch(db, 'prune_requests', REQUESTS_DAYS),
    upstream_responses: deleteOld(db, 'upstream_responses', { since: sql.fragment`t.read_at`, ageS: events }),
    reveal_links: deleteOld(db, 'reveal_links', {
      since: expires,
      ageS: sessions,
      only: sql.fragment`t.superseded_at is not null`,
    }),
  };
};

/**
 * A key whose intent has ended: a repeat of an open one would be a second write while the effect of the first is unknown. One look-up for each key:
 * joined, for as many keys as may be old, it would read all intents.
 */
const HAS_ENDED = sql.fragment`(select i.settled_at is null from intents i where i.id = t.intent_id) is not true`;

const counted = z.object({ count: z.number() });

/** Which rows `t` of a table are old: those whose time `since` is more than `ageS` seconds ago, and of these `only` some. */
type Old = { since: FragmentSqlToken; ageS: number; only?: FragmentSqlToken };

/** Batches of old rows, the oldest first. Rows that another transaction has locked are skipped, so nobody waits longer than for one batch. */
export const deleteOld = (db: Db, table: string, { since, ageS, only = sql.fragment`true` }: Old): Batch =>
  takingAll((most) =>
    db.oneFirst(sql.type(counted)`
      with old as materialized (
        select t.ctid as row_ctid
        from ${sql.identifier([table])} t
        where ${since} < now() - make_interval(secs => ${ageS}) and ${only}
        order by ${since}
        limit ${most}
        for update skip locked
      ), gone as (
        delete from ${sql.identifier([table])} t
        where t.ctid = any (array(select o.row_ctid from old o))
        returning 1
      )
      select count(*) from gone`),
  );

/** Batches of a function that deletes the oldest rows and returns how many. */
const pruneBatch = (db: Db, name: string, days: number): Batch =>
  takingAll((most) =>
    db.oneFirst(sql.type(counted)`select ${sql.identifier([name])}(${days * DAY_S}::double precision, ${most}) count`),
  );

const expired = z.object({
  picked: z.number(),
  deleted: z.number(),
  last: z.string().nullable(),
  oldest_s: z.number().nullable(),
});

/** Batches that go through old rows in the order of a key: each begins behind the last row of the one before. */
function expiry(db: Db, name: string, days: number, progress: Progress): Batch {
  const kind = name.replace('expire_', '');
  const at = progress[kind] ?? { after: '', behindS: null, turn: 0 };
  progress[kind] = at;
  return async (most) => {
    const { picked, deleted, last, oldest_s } = await db.one(sql.type(expired)`
      select e.picked, e.deleted, e.last, e.oldest_s
      from ${sql.identifier([name])}(${days * DAY_S}::double precision, ${most}, ${at.after}) e`);
    at.after = last ?? at.after;
    at.behindS = Math.max(0, (oldest_s ?? 0) - days * DAY_S);
    return { seen: picked, taken: deleted };
  };
}

const nothing = z.object({});

/**
 * Records the run for kinds that ran or failed. A failed kind keeps its earlier values. Kinds without a key do not know how old their remaining rows
 * are: these are behind for at most the time since none were left.
 */
async function recordRun(db: Db, { ran, left, failed }: Run, progress: Progress): Promise<void> {
  const rows = [...new Set([...ran, ...Object.keys(failed)])].map((name) => {
    const { after = '', behindS = null } = (left.includes(name) && progress[name]) || {};
    return { name, after, behind_s: behindS, is_left: left.includes(name), has_failed: name in failed };
  });
  await db.query(sql.type(nothing)`
    insert into retention_runs as r (name, after, behind_s, failed_at)
    select n.name, n.after,
      case when n.is_left then coalesce(n.behind_s, p.behind_s + extract(epoch from now() - p.ran_at), 0) else 0 end,
      case when n.has_failed then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as n (name text, after text, behind_s double precision, is_left boolean, has_failed boolean)
    left join retention_runs p on p.name = n.name
    on conflict (name) do update
    set failed_at = excluded.failed_at,
      after = case when excluded.failed_at is null then excluded.after else r.after end,
      behind_s = case when excluded.failed_at is null then excluded.behind_s else r.behind_s end,
      ran_at = case when excluded.failed_at is null then now() else r.ran_at end`);
}

/** Forgets kinds that no version prunes any more: each would be behind by more every day. During a release the other version prunes its own. */
const forgetFormer = async (db: Db, kinds: readonly string[]): Promise<void> => {
  await db.query(sql.type(nothing)`
    delete from retention_runs r
    where r.name <> all(${sql.array(kinds, 'text')}) and r.ran_at < now() - interval '1 hour'`);
};

/** Queues the next run of a task now, under the same job key as its planned runs. */
export const runAgain = async (db: Db, task: 'housekeeping/prune' | 'housekeeping/forget'): Promise<void> => {
  await db.query(sql.type(nothing)`
    select graphile_worker.add_job(${task}, job_key => ${path.basename(task)}, max_attempts => 25)::text`);
};
