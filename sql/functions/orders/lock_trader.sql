-- Locks all rows of a trader at a venue, by an advisory lock, until the end of the transaction. Call it before any of them is locked: settlements and
-- other changes of orders lock lanes, cursor, orders and wanted exits in different orders, and some rows are inserted meanwhile.
create or replace function lock_trader(of_venue text, of_trader text) returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('trader ' || of_venue || ' ' || of_trader, 0))
$$;
