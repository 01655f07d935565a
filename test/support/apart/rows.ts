import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../src/db/pool.ts';

/** Columns that say whose a row is. */
const OWNERS = ['owner', 'app_id', 'app', 'partner_id', 'user_id', 'tenant', 'caller'];
/** What counts requests, whose number differs, or says what was seen at a moment. */
const LEFT_OUT = ['api_requests', 'api_usage', 'wanted_exits', 'event_logs', 'webhook_attempts'];
const TYPES = ['timestamp with time zone', 'bytea'];
/** What an account was at the network when it was read last: the sweep reads it in a run that takes more than a minute. */
const READINGS = ['upstream_bucket', 'upstream_status'];

const tableRow = z.object({ table: z.string(), left_out: z.array(z.string()) });

/** The rows of every table that are of one of these owners, without times, bytes and readings. */
export async function rowsOf(db: Db, owners: string[]): Promise<Record<string, unknown[]>> {
  const [names, ids] = [sql.array(OWNERS, 'text'), sql.array(owners, 'text')];
  const tables = await db.any(sql.type(tableRow)`
    select c.table_name as table,
      coalesce(array_agg(c.column_name::text) filter (
        where c.data_type = any(${sql.array(TYPES, 'text')}) or c.column_name = any(${sql.array(READINGS, 'text')})
      ), '{}') as left_out
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
    where c.table_schema = 'public' and c.table_name <> all(${sql.array(LEFT_OUT, 'text')})
    group by c.table_name
    having bool_or(c.column_name = any(${names}))
    order by c.table_name`);
  const found: Record<string, unknown[]> = {};
  for (const { table, left_out } of tables)
    found[table] = [
      ...(await db.anyFirst(sql.type(z.object({ row: z.unknown() }))`
        select to_jsonb(r) - ${sql.array(left_out, 'text')} as row
        from ${sql.identifier([table])} r
        where exists (select from jsonb_each_text(to_jsonb(r)) c where c.key = any(${names}) and c.value = any(${ids}))`)),
    ];
  return found;
}
