-- Locks what a venue knows of a trader until the end of the transaction, before any row of it: settlements, and whatever changes orders without one,
-- lock its lanes, its cursor, its orders and its wanted exits in different orders, some of them rows that the other is only about to insert.
create or replace function lock_trader(of_venue text, of_trader text) returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('trader ' || of_venue || ' ' || of_trader, 0))
$$;
