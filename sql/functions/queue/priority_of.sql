-- The priority of the jobs of a kind of intent: the lowest number is taken first.
create or replace function priority_of(of_kind text) returns integer
language sql stable as $$
  select case when k.is_exit then -1 else 0 end
  from intent_kinds k
  where k.kind = of_kind
$$;
