-- Deletes events after which no stream can be resumed any more. Returns how many.
create or replace function forget_account_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with forgotten as (
    delete from account_events e
    where e.ctid = any(array(
      select o.ctid
      from account_events o
      where o.created_at < now() - make_interval(secs => kept_s)
      order by o.created_at
      limit most
    ))
    returning 1
  )
  select count(*) from forgotten
$$;
