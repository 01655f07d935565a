create or replace function ops.why(intent uuid) returns table (reason text, detail text, until timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select w.reason, w.detail, w.until
  from ops.waits_of(array[intent]) w
$$;
comment on function ops.why(uuid) is
  'What an open intent waits for: the reason, in words, and until when at most, where that is known. No row: it has ended, or there is no such '
  'intent.';
