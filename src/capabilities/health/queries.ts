import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const stateRow = z.object({ lacks_migrations: z.boolean(), oldest_due_s: z.number(), is_writable: z.boolean() });

/**
 * Proves that a write commits: the statement emits a transactional message, which is nothing but a record in the
 * write-ahead log and its commit. It fails on a standby; on a primary that was made read-only `is_writable` is false.
 *
 * Also reads whether any of these migrations or definitions is missing, and the age in seconds of the oldest due job
 * that no worker has taken. All our jobs have one priority, so the first job of the queue's index is the oldest, however
 * many are due.
 */
export const readStanding = (
  db: Db,
  { migrations, definitions }: { migrations: string[]; definitions: string[] },
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
        from unnest(${sql.array(definitions, 'text')}) as known (name)
        except
        select name
        from definitions
      ) as lacks_migrations,
      coalesce((
        select extract(epoch from clock_timestamp() - j.run_at)
        from queue_jobs j
        where j.is_available and j.run_at <= now()
        order by j.priority, j.run_at
        limit 1
      ), 0)::double precision as oldest_due_s,
      pg_logical_emit_message(true, 'readiness', '') is not null
        and current_setting('transaction_read_only') = 'off' as is_writable`);

/** The time of the database's clock, in epoch milliseconds. */
export const readDatabaseTime = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ ms: z.number() }))`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`);
