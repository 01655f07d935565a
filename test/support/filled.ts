import { Client } from 'pg';
import { sql } from 'slonik';
import { type DbPool, openPool } from '../../src/db/pool.ts';
import { freshDatabase } from './postgres.ts';

/** A database that holds what years leave behind, whose plans are those of production. */
export type FilledDatabase = {
  /** The service's connection: one, so that what it reads can be counted. */
  db: DbPool;
  /** A connection of the owner. */
  client: Client;
  /** The rows of all our tables that were read so far: a test that counts those of the service reads none itself meanwhile. */
  rowsRead(): Promise<number>;
  close(): Promise<void>;
};

/** Opens a new database, and fills it by statements with `;` between them. */
export async function openFilled(statements: string): Promise<FilledDatabase> {
  const database = await freshDatabase({ ownPlans: true });
  const client = new Client({ ...database.connection, ssl: false });
  await client.connect();
  for (const statement of [...statements.split(';'), 'select pg_stat_force_next_flush()'])
    await client.query(statement); // what it read itself is counted now
  const db = await openPool(database.url, 1, () => {});
  return {
    db,
    client,
    async rowsRead() {
      await client.query('select pg_stat_force_next_flush()'); // what the owner read until now counts now, not a second later
      await db.query(sql.unsafe`select pg_stat_force_next_flush()`);
      const { rows } = await client.query(`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
        from pg_stat_user_tables
        where schemaname = 'public'`);
      return rows[0].read;
    },
    async close() {
      await client.end();
      await db.end();
      await database.drop();
    },
  };
}
