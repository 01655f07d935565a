-- Empties a bucket and stops refilling it for `halt_ms`.
create or replace function halt_budget(of_name text, halt_ms double precision) returns void
language sql as $$
  update request_budgets b
  set tokens = least(0, b.tokens), counted_at = greatest(b.counted_at, clock_timestamp() + make_interval(secs => halt_ms / 1000))
  where b.name = of_name;
$$;
