import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

const standing = z.object({ lacks_migrations: z.boolean(), oldest_due_s: z.number() });

/**
 * Whether any of these migrations is missing, and for how long the oldest due job that nobody has taken has been due, in seconds.
 * All our jobs have one priority: the first one in the order of the queue's own index is the oldest, however many wait.
 */
export const readStanding = (db: Db, migrations: string[]): Promise<z.infer<typeof standing>> =>
  db.one(sql.type(standing)`
    select
      exists (
        select name
        from unnest(${sql.array(migrations, 'text')}) as known (name)
        except
        select name
        from migrations
      ) as lacks_migrations,
      coalesce((
        select extract(epoch from clock_timestamp() - j.run_at)
        from graphile_worker._private_jobs j
        where j.is_available and j.run_at <= now()
        order by j.priority, j.run_at
        limit 1
      ), 0)::double precision as oldest_due_s`);
