-- The end of an account's log, and whether all events after a position are still stored.
create or replace function account_log_end(account text, after_position bigint) returns table (last_position bigint, is_whole boolean)
language sql stable as $$
  select coalesce(l.last_position, 0), after_position <= coalesce(l.last_position, 0) and (
    after_position = coalesce(l.last_position, 0)
    or exists (select from account_events e where e.prop_account_id = account and e.position = after_position + 1)
  )
  from (select 1) as always
  left join account_logs l on l.prop_account_id = account
$$;
