-- The verdict of an action, which is recorded if it was rejected: an executed action is recorded by its function.
create or replace function ops.note_rejected(about text, who text, did text, why text, verdict text) returns text
language sql as $$
  select case when verdict in ('done', 'queued') then verdict else ops.note_verdict(about, who, did, why, verdict) end
$$;
comment on function ops.note_rejected is 'Internal to the kit.';
