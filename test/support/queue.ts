import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

/**
 * The queue's own table with the given column, as an identifier: for the few tests that watch every write to it, or
 * insert what no function of the queue writes. All others read and change view `queue_jobs`.
 */
export const findQueueTable = async (db: Pick<DatabasePool, 'oneFirst'>, column: 'payload' | 'known_since') => [
  'graphile_worker',
  await db.oneFirst(sql.type(z.object({ name: z.string() }))`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = ${column}
    where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r'`),
];
