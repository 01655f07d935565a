-- Records a rejected action. An executed action is recorded by its function.
create or replace function ops.note_rejected(about text, who text, did text, why text, verdict text) returns void
language sql as $$
  select ops.note(who, did, about, why, jsonb_build_object('verdict', verdict))
  where verdict <> 'done'
$$;
comment on function ops.note_rejected is 'Internal to the kit.';
