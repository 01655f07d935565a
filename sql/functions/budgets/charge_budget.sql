-- Charges a bucket with a weight that became known only with a response. A negative weight is given back.
create or replace function charge_budget(of_name text, capacity double precision, weight double precision) returns void
language sql as $$
  select set_config('synchronous_commit', 'off', true);

  update request_budgets b
  set tokens = least(capacity, b.tokens - weight)
  where b.name = of_name;
$$;
