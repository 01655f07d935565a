import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const stateRow = z.object({
  lacks_migrations: z.boolean(),
  oldest_due_s: z.number(),
  is_writable: z.boolean(),
  is_session_sound: z.boolean(),
  sealed: z.instanceof(Buffer).nullable(),
});

/**
 * Proves that a write commits: the statement emits a transactional message, which is nothing but a record in the write-ahead log and its commit. It
 * fails on a standby; on a primary that was made read-only `is_writable` is false. Also reads whether any of these migrations, functions, tables or
 * views is missing, whether the session has the parameters that rows are read with and its commits wait for the disk, the value that this process
 * must be able to open, and the age in seconds of the oldest due job of these tasks that no worker has taken. Reads only the first such job of each
 * priority, by the queue's index, however many are due; so a young exit does not hide an older job of lower priority.
 */
export const readStanding = (
  db: Db,
  { migrations, functions, relations, tasks }: Record<'migrations' | 'functions' | 'relations' | 'tasks', string[]>,
): Promise<z.infer<typeof stateRow>> =>
  db.one(sql.type(stateRow)`
    select
      exists (
        select name
        from unnest(${sql.array(migrations, 'text')}) as known (name)
        except
        select name
        from migrations
      ) or exists (
        select name
        from unnest(${sql.array(functions, 'text')}) as called (name)
        except
        select name
        from definitions
      ) or exists (
        select
        from unnest(${sql.array(relations, 'text')}) as called (name)
        where to_regclass(called.name) is null
      ) as lacks_migrations,
      coalesce((
        with recursive first as (
          (
            select j.priority, j.run_at
            from queue_jobs j
            where j.is_available and j.run_at <= now() and j.task = any (${sql.array(tasks, 'text')})
            order by j.priority, j.run_at
            limit 1
          )
          union all
          select n.priority, n.run_at
          from first f
          cross join lateral (
            select j.priority, j.run_at
            from queue_jobs j
            where j.is_available and j.run_at <= now() and j.priority > f.priority and j.task = any (${sql.array(tasks, 'text')})
            order by j.priority, j.run_at
            limit 1
          ) n
        )
        select extract(epoch from clock_timestamp() - min(first.run_at))
        from first
      ), 0)::double precision as oldest_due_s,
      pg_logical_emit_message(true, 'readiness', '') is not null
        and current_setting('transaction_read_only') = 'off' as is_writable,
      current_setting('DateStyle') like 'ISO%'
        and current_setting('transaction_isolation') = 'read committed'
        and current_setting('bytea_output') = 'hex'
        and current_setting('standard_conforming_strings') = 'on'
        and current_setting('synchronous_commit') <> 'off' as is_session_sound,
      (select c.sealed from seal_checks c) as sealed`);

/** The time of the database's clock, in epoch milliseconds. */
export const readDatabaseTime = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ ms: z.number() }))`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`);
