-- The time in which an upstream takes only so many: a minute, and what requests may differ in the time between being sent and arriving.
create or replace function pace_window() returns interval
language sql immutable as $$
  select interval '62 seconds'
$$;
