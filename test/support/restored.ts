import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { addressedAs } from './postgres.ts';

type At = { settings: Record<string, string> };

/** Rows that a backup does not hold, children first, and the column that says when each was written. */
const WRITTEN_AT = {
  orders: 'created_at',
  subaccounts: 'created_at',
  payouts: 'requested_at',
  prop_accounts: 'created_at',
  payments: 'created_at',
  intents: 'created_at',
} as const;

const DEADLOCK = '40P01'; // with the workers, which lock the same rows in another order
const MOST_DEADLOCKS = 5;

/** Runs statements at once, as a restore does: without triggers and foreign keys. */
async function writing({ settings }: At, texts: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: String(settings.DATABASE_URL) });
  await client.connect();
  const script = `begin; set local session_replication_role = replica; ${texts.join('; ')}; commit`;
  const run = async (left: number): Promise<void> => {
    const error = await client.query(script).then(
      () => null,
      (cause: pg.DatabaseError) => cause,
    );
    if (!error) return;
    if (error.code !== DEADLOCK || left === 0) throw error;
    await client.query('rollback');
    return run(left - 1);
  };
  await run(MOST_DEADLOCKS).finally(() => client.end());
}

/** Loses what was written since then. */
export async function loseSince(service: At, since: string): Promise<void> {
  const deletions = Object.entries(WRITTEN_AT).map(([table, at]) => `delete from ${table} where ${at} >= '${since}'`);
  const steps = `delete from payout_steps using payouts p where p.id = payout_id and p.requested_at >= '${since}'`;
  await writing(service, [steps, ...deletions]);
}

/** Copies tables as a backup, named in an order in which they can be written. `restore` writes them back long after every deadline in them, with a job for each open intent. */
export async function backUp(service: At, tables: string[]): Promise<{ since: string; restore(): Promise<void> }> {
  const since = new Date().toISOString();
  const columns = await columnsOf(service, tables);
  await writing(
    service,
    tables.map((table) => `create table backup_of_${table} as table ${table}`),
  );
  const restore = [
    ...tables.map((table) => `delete from ${table}`),
    ...tables.map(
      (table) =>
        `insert into ${table} (${columns.get(table)}) overriding system value select ${columns.get(table)} from backup_of_${table}`,
    ),
    `update intents set deadline_at = now() - interval '1 minute' where settled_at is null`,
    `select graphile_worker.add_job(kind, json_build_object('intent_id', id)) from intents where settled_at is null`,
  ];
  return { since, restore: () => writing(service, restore) };
}

/** The columns of tables, but for those that are computed. */
async function columnsOf({ settings }: At, tables: string[]): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: String(settings.DATABASE_URL) });
  await client.connect();
  const { rows } = await client
    .query<{ name: string; columns: string }>(
      `select t.name, string_agg(quote_ident(a.attname), ', ') as columns
       from unnest($1::text[]) as t (name)
       join pg_attribute a on a.attrelid = t.name::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       group by t.name`,
      [tables],
    )
    .finally(() => client.end());
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Runs `npm run ops -- recover` with the settings of a service's worker. Returns what it prints. */
export async function recover({ settings }: At, since: string): Promise<string> {
  const env = { ...addressedAs('worker', settings), PATH: String(process.env.PATH) };
  return (await promisify(execFile)(process.execPath, ['src/commands/recover.ts', '--since', since], { env })).stdout;
}
