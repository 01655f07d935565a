-- Records an executed or rejected action, in its transaction.
create or replace function ops.note(who text, did text, about text, why text, came_of_it jsonb) returns void
language sql as $$
  insert into operator_actions (operator, action, subject, why, detail)
  values (who, did, about, why, came_of_it || jsonb_build_object('login', session_user))
$$;
comment on function ops.note is 'Internal to the kit.';
