import type pg from 'pg';

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * Throws if a commit on this database may be lost, in a new session and by the settings of any role or database. Nothing
 * is measured then.
 */
export async function assertDurable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name = any($1)
     union all
     select split_part(c, '=', 1), split_part(c, '=', 2) from pg_db_role_setting, unnest(setconfig) c
     where split_part(c, '=', 1) = any($1)`,
    [Object.keys(DURABLE)],
  );
  const weak = rows.filter(({ name, setting }) => setting !== DURABLE[name as keyof typeof DURABLE]); // as: asked for by name
  if (weak.length > 0 || rows.length < Object.keys(DURABLE).length)
    throw new Error(`The database is not durable: ${JSON.stringify(rows)}`);
}
