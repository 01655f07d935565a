-- The sweep over the processor's list of events that is still to be read. If it was read to its end, the next one begins: from now back to
-- where the last one began, and `overlap_s` seconds further because events may be listed later than their time. The first sweep covers
-- `first_s` seconds.
create or replace function open_event_sweep(first_s double precision, overlap_s double precision) returns processor_cursor
language sql as $$
  insert into processor_cursor as c (since)
  values (now() - make_interval(secs => first_s))
  on conflict (only_row) do update
  set sweep = c.sweep + c.is_read::integer,
    opened_at = case when c.is_read then now() else c.opened_at end,
    since = case when c.is_read then c.opened_at - make_interval(secs => overlap_s) else c.since end,
    after_event = case when not c.is_read then c.after_event end,
    is_read = false
  returning *
$$;
