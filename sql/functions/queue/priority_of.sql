-- The priority of the jobs of an intent: the lowest number is taken first.
create or replace function priority_of(is_exit boolean) returns integer
language sql immutable as $$
  select case when is_exit then -1 else 0 end
$$;
