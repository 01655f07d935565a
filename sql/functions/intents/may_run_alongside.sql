-- Whether an intent may run beside others of its lane, by their values of `alongside`: all are about something else, or about the same in
-- the same way. Never if one of them runs alone.
create or replace function may_run_alongside(newcomer text, others text[]) returns boolean
language sql immutable as $$
  select newcomer is not null and not exists (
    select
    from unnest(others) o
    where o is null or (split_part(o, ' ', 1) = split_part(newcomer, ' ', 1) and o <> newcomer)
  )
$$;
