import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { waitedTooLong } from '../db/conflicts.ts';
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
 * the tasks of the crontab run once. One transaction, beside which nobody writes. Needs a superuser, as the embedded
 * database has: triggers do not fire, because only time passes.
 */
export async function advanceDatabase(pool: DbPool, seconds: number): Promise<void> {
  const times = await listTimes(pool);
  await alone(pool, ['queue_jobs', ...times.map(({ table }) => table)], async (tx) => {
    await tx.query(sql.type(nothing)`
      select graphile_worker.reschedule_jobs(array[j.id], run_at => greatest(now(), j.run_at - make_interval(secs => ${seconds})))
      from queue_jobs j
      where j.run_at > now()`);
    for (const { table, columns } of times) {
      await tx.query(sql.type(nothing)`
        update ${sql.identifier([table])} t
        set ${older(columns, seconds)}`);
    }
    for (const { task, key, attempts } of scheduled()) {
      await tx.query(sql.type(nothing)`
        select graphile_worker.add_job(${task}, job_key => ${key}, max_attempts => ${attempts})`);
    }
  });
}

const GIVES_WAY_MS = 200; // less than it takes PostgreSQL to look for a deadlock
const TRIES = 50;

/**
 * Runs a transaction beside which nobody writes to these tables. Those who write lock them in many orders: so it gives way, and tries again, where
 * one of them may wait for it.
 */
async function alone<Result>(
  pool: DbPool,
  tables: readonly string[],
  work: (tx: DatabaseTransactionConnection) => Promise<Result>,
): Promise<Result> {
  const all = sql.join(
    tables.map((table) => sql.identifier([table])),
    sql.fragment`, `,
  );
  for (let left = TRIES; ; left -= 1) {
    try {
      return await pool.transaction(async (tx) => {
        await tx.query(sql.type(nothing)`
          select set_config('session_replication_role', 'replica', true), set_config('lock_timeout', ${String(GIVES_WAY_MS)}, true)`);
        await tx.query(sql.type(nothing)`lock table ${all} in exclusive mode`);
        return work(tx);
      });
    } catch (error) {
      if (left <= 1 || !waitedTooLong(error)) throw error;
      await sleep(GIVES_WAY_MS * Math.random());
    }
  }
}

const subaccountRow = z.object({ entity: z.string().nullable(), subaccount_id: z.number().nullable() });

/**
 * Lets time pass for one prop account: its times, those of its payment, payouts, orders and subaccount, and those of
 * the payout accounts of its user become `seconds` older; it is synced with the network at once. Resolves to its
 * subaccount, undefined if it has none, or null if there is no such account.
 */
export async function advanceAccount(pool: DbPool, account: string, seconds: number) {
  const times = await listTimes(pool);
  return alone(pool, Object.keys(OF_ACCOUNT), async (tx) => {
    const found = await tx.maybeOne(sql.type(subaccountRow)`
      select s.entity_hotkey as entity, s.subaccount_id
      from prop_accounts a
      left join subaccounts s on s.synthetic_hotkey = a.synthetic_hotkey
      where a.id = ${account}`);
    if (!found) return null;
    for (const { table, columns } of times) {
      const column = OF_ACCOUNT[table];
      if (!column) continue;
      await tx.query(sql.type(nothing)`
        update ${sql.identifier([table])} t
        set ${older(columns, seconds)}
        from prop_accounts a
        left join subaccounts s on s.synthetic_hotkey = a.synthetic_hotkey
        where a.id = ${account} and ${column}`);
    }
    await tx.query(sql.type(nothing)`select plan_sync(${account}, 1)`);
    const { entity, subaccount_id } = found;
    return entity === null || subaccount_id === null ? undefined : { entity, subaccount_id };
  });
}

/** Which rows are an account's, by table. */
const OF_ACCOUNT: Record<string, FragmentSqlToken> = {
  prop_accounts: sql.fragment`t.id = a.id`,
  payments: sql.fragment`t.id = a.payment_id`,
  payouts: sql.fragment`t.prop_account_id = a.id`,
  subaccounts: sql.fragment`t.synthetic_hotkey = a.synthetic_hotkey`,
  orders: sql.fragment`t.trader = a.synthetic_hotkey`,
  connect_accounts: sql.fragment`t.user_id = a.user_id`,
};

const older = (columns: readonly string[], seconds: number) =>
  sql.join(
    columns.map(
      (name) =>
        sql.fragment`${sql.identifier([name])} = ${sql.identifier(['t', name])} - make_interval(secs => ${seconds})`,
    ),
    sql.fragment`, `,
  );

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
  [
    ...readFileSync(new URL('crontab', TASKS), 'utf8').matchAll(
      /^(?:\S+ ){5}(\S+) \?(?:fill=\w+&)?max=(\d+)&jobKey=(\S+)$/gm,
    ),
  ].map(([, task = '', attempts = '', key = '']) => ({ task, key, attempts: Number(attempts) }));
