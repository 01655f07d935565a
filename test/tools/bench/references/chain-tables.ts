import type pg from 'pg';

/** The channel on which the worker of the bare chain announces that an order has ended; the payload is its id. */
export const ENDED = 'chain_ended';

/** Creates the tables of the bare chain. Safe to repeat, and from several processes at once. */
export async function createChainTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    begin;
    select pg_advisory_xact_lock(1);
    create table if not exists chain_orders (
      id uuid primary key,
      asked jsonb not null,
      state text not null default 'queued',
      result jsonb
    );
    create table if not exists chain_events (
      id uuid primary key default gen_random_uuid(),
      url text not null,
      body text not null,
      delivered_at timestamptz
    );
    commit`);
}
