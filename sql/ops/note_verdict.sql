-- The verdict of an action, which is recorded.
create or replace function ops.note_verdict(about text, who text, did text, why text, verdict text) returns text
language sql as $$
  select ops.note(who, did, about, why, jsonb_build_object('verdict', verdict));
  select verdict
$$;
comment on function ops.note_verdict is 'Internal to the kit.';
