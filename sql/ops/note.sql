-- Records an executed or rejected action, in its transaction. The actor is the role that connected.
create or replace function ops.note(who text, did text, about text, why text, came_of_it jsonb) returns void
language sql as $$
  select record_action(session_user, did, about, null, null, why, ops.given_name(who) || came_of_it)
$$;
comment on function ops.note is 'Internal to the kit.';
