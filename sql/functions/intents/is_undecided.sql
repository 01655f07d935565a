-- Whether an intent of this outcome ended although nothing proves its effect.
create or replace function is_undecided(outcome jsonb) returns boolean
language sql immutable as $$
  select coalesce(outcome -> 'problem' ->> 'effect' = 'unknown', false)
$$;
