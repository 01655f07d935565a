import { readFileSync } from 'node:fs';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Db, DbPool } from '../db/pool.ts';
import { TASKS } from '../intents/task.ts';

/** Tables whose times stay as they are: records that are signed or append-only, what was applied, and what is real. */
const UNMOVED = [
  'admin_audit',
  'agreement_signatures',
  'operator_actions',
  'migrations',
  'definitions',
  'worker_processes', // alive now
  'processes',
  'request_budgets', // the exchange's own limits do not move
  'upstream_responses', // the exchange's past does not move
  'burnt_nonces', // nonces are real times
  'exchange_fills', // times of the exchange
  'exchange_cursors',
  'exchange_positions',
  'figures', // of real minutes
];

const nothing = z.object({});

/**
 * Lets time pass for the database: every job that waits for its time, and every stored time, becomes `seconds` older;
 * the tasks of the crontab run once. One transaction. Jobs come first: of a row and a job that are written meanwhile,
 * the row is then older and those tasks find it due; a job that is due before its row would end without effect. Needs a
 * superuser, as the embedded database has: triggers do not fire, because only time passes.
 */
export const advanceDatabase = (pool: DbPool, seconds: number): Promise<void> =>
  pool.transaction(async (tx) => {
    await tx.query(sql.type(nothing)`select set_config('session_replication_role', 'replica', true)`);
    await tx.query(sql.type(nothing)`
      select graphile_worker.reschedule_jobs(array[j.id], run_at => greatest(now(), j.run_at - make_interval(secs => ${seconds})))
      from queue_jobs j
      where j.run_at > now()`);
    for (const { table, columns } of await listTimes(tx)) {
      const older = columns.map((name) => {
        const column = sql.identifier([name]);
        return sql.fragment`${column} = ${column} - make_interval(secs => ${seconds})`;
      });
      await tx.query(sql.type(nothing)`
        update ${sql.identifier([table])}
        set ${sql.join(older, sql.fragment`, `)}`);
    }
    for (const { task, key, attempts } of scheduled()) {
      await tx.query(sql.type(nothing)`
        select graphile_worker.add_job(${task}, job_key => ${key}, max_attempts => ${attempts})`);
    }
  });

const timesRow = z.object({ table: z.string(), columns: z.array(z.string()) });

/** The columns with times, by table. */
const listTimes = (db: Db) =>
  db.any(sql.type(timesRow)`
    select c.table_name as table, array_agg(c.column_name::text order by c.ordinal_position) as columns
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public'
      and t.table_type = 'BASE TABLE'
      and c.data_type = 'timestamp with time zone'
      and c.table_name <> all(${sql.array(UNMOVED, 'text')})
    group by c.table_name
    order by c.table_name`);

/** The tasks of the crontab, each with the key and the attempts that its line gives the job. */
const scheduled = () =>
  [...readFileSync(new URL('crontab', TASKS), 'utf8').matchAll(/^(?:\S+ ){5}(\S+) \?max=(\d+)&jobKey=(\S+)$/gm)].map(
    ([, task = '', attempts = '', key = '']) => ({ task, key, attempts: Number(attempts) }),
  );
