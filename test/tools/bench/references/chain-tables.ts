import type pg from 'pg';

/** The channel on which the worker of the bare chain announces that an order has ended; the payload is its id. */
export const ENDED = 'chain_ended';

/**
 * Whether the chain is the honest one: it also keeps what no service for orders can do without. An idempotency key, a lane in which orders of
 * one trader and pair follow each other, what is sent, and the event of an order's end; with the least SQL.
 */
export const KEEPS_ALL = process.env.CHAIN === 'honest';

/** Creates the tables of both chains. Safe to repeat, and from several processes at once. */
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
    create table if not exists honest_keys (
      key text primary key,
      order_id uuid not null
    );
    create table if not exists honest_orders (
      id uuid primary key,
      lane text not null,
      position bigint generated always as identity,
      asked jsonb not null,
      state text not null default 'queued',
      sent jsonb,
      sending_at timestamptz,
      result jsonb
    );
    create index if not exists honest_orders_in_lane on honest_orders (lane, position) where state = 'queued';
    create table if not exists honest_lanes (
      name text primary key,
      head uuid
    );
    create table if not exists honest_events (
      position bigint primary key generated always as identity,
      order_id uuid not null,
      body text not null
    );
    commit`);
}
