-- Brings the figures up to now, and deletes those that no chart shows any more. The parameters are those of budget_used.
create or replace function roll_up(budget text, capacity double precision, per_s double precision) returns void
language sql as $$
  select set_config('synchronous_commit', 'off', true); -- the next run repeats what a crash forgets

  delete from figures f
  where f.width_s = 60 and f.at < now() - interval '2 hours' or f.width_s = 300 and f.at < now() - interval '25 hours';

  select roll_up_endings(60);
  select roll_up_endings(300);
  select measure_now(budget, capacity, per_s);
$$;
