-- The time over which the limit of an upstream counts: a minute, and by how much the time from sending to arrival may differ between requests.
create or replace function pace_window() returns interval
language sql immutable as $$
  select interval '62 seconds'
$$;
