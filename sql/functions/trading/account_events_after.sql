-- Events of an account after a position, oldest first. `data` is text, so that it is sent unchanged.
create or replace function account_events_after(account text, after_position bigint, most integer)
returns table ("position" bigint, type text, data text)
language sql stable as $$
  select e.position, e.type, e.data::text
  from account_events e
  where e.prop_account_id = account and e.position > after_position
  order by e.position
  limit most
$$;
