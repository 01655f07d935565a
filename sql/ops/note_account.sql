-- Records a rejected action on an account. An executed one is recorded by its function.
create or replace function ops.note_account(account text, who text, did text, why text, verdict text) returns void
language sql as $$
  select ops.note(who, did, account, why, jsonb_build_object('verdict', verdict))
  where verdict <> 'done'
$$;
comment on function ops.note_account is 'Internal to the kit.';
