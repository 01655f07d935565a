import { Client } from 'pg';
import { inBatches } from '../../src/db/batches.ts';
import { type Db, openPool } from '../../src/db/pool.ts';
import { prunings } from '../../src/db/retention.ts';
import { freshDatabase } from './postgres.ts';

/** Retention periods in the tests of pruning, in days. */
export const DAYS = {
  RETAIN_INTENTS_DAYS: 90,
  RETAIN_ORDERS_DAYS: 400,
  RETAIN_EVENTS_DAYS: 30,
  RETAIN_SESSIONS_DAYS: 30,
};

/** A database with one app, user, operator, tier and endpoint, for tests of pruning. */
export type Pruned = {
  db: Db;
  client: Client;
  /** Opens one more connection, which the caller must close. */
  connected(): Promise<Client>;
  /** Prunes once, with ample limits; returns the number of deleted rows of each kind. */
  prune(): Promise<Record<string, number>>;
  /** One column of a table, in order. */
  left(table: string, column?: string): Promise<string[]>;
  close(): Promise<void>;
};

/** The limits of a pruning run, which a test can tighten. */
export const bounds = (more = {}) => ({
  most: 1_000,
  withinMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});

/** Readable ids for tests: the number is in their last digits. */
export const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** The number in such an id. */
export const numberIn = (id: string): number => Number(id.slice(-12));

/** Opens a migrated database for tests of pruning. */
export async function openPruned(): Promise<Pruned> {
  const database = await freshDatabase({ ownPlans: true });
  const connected = async () => {
    const client = new Client({ ...database.connection, ssl: false });
    await client.connect();
    return client;
  };
  const client = await connected();
  const db = await openPool(database.url, 2, () => {});
  await client.query(`
    insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
    insert into users (id, app_id, email, password_hash, verified_at) values ('usr_1', 'app_1', 'a@example.com', 'h', now());
    insert into admins (id, email, password_hash) values ('adm_1', 'op@example.com', 'h');
    insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_a', 'crypto', 'crypto', 1000, 5000);
    insert into webhook_endpoints (id, owner, url, events) values ('whe_1', 'app_1', 'https://example.com', '{*}')`);
  return {
    db,
    client,
    connected,
    async prune() {
      const { taken, failed } = await inBatches(prunings(db, DAYS), bounds());
      for (const error of Object.values(failed)) throw error;
      return taken;
    },
    async left(table, column = 'id') {
      const { rows } = await client.query(`select ${column}::text as name from ${table} order by 1`);
      return rows.map(({ name }) => name);
    },
    async close() {
      await client.end();
      await db.end();
      await database.drop();
    },
  };
}
