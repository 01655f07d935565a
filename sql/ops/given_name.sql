-- The name that was given at psql, as a note. It proves nothing: the actor is the role that connected.
create or replace function ops.given_name(who text) returns jsonb
language sql immutable as $$
  select jsonb_build_object('given_name', who)
$$;
comment on function ops.given_name is 'Internal to the kit.';
