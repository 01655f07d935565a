-- The used part of a bucket, from 0 to 1. Null if nothing was ever spent of it.
create or replace function budget_used(of_name text, capacity double precision, per_s double precision) returns double precision
language sql stable as $$
  select 1 - least(greatest(b.tokens + extract(epoch from now() - b.counted_at)::double precision * per_s, 0) / capacity, 1)
  from request_budgets b
  where b.name = of_name
$$;
