-- Deactivates the endpoints of an owner whose address was set, or whose secret was shown, with credentials that are stolen, in the last 30 days: the
-- thief may read what is sent there, or sign it. The owner is notified by mail, and activates again those that are the owner's own. One that is
-- inactive already gets the same reason, so that nobody activates it unchanged. Returns their ids. Locks the endpoints, then their deliveries.
create or replace function quarantine_endpoints(of_owner text, stolen text[]) returns text[]
language sql as $$
  with theirs as (
    select e.id, e.active
    from webhook_endpoints e
    where e.owner = of_owner and e.deactivated_because is distinct from 'stolen'
      and exists (
        select
        from jsonb_each_text(e.credentials) c
        where c.key = any(stolen) and c.value::timestamptz > now() - interval '30 days'
      )
    order by e.id
    for update
  ), inactive as (
    update webhook_endpoints e
    set deactivated_because = 'stolen', updated_at = now()
    from theirs t
    where e.id = t.id and not t.active
    returning e.id
  )
  select coalesce(array_agg(q.id order by q.id), '{}')
  from (
    select t.id
    from theirs t
    where t.active and deactivate_endpoint(t.id, 'stolen')
    union all
    select i.id
    from inactive i
  ) q
$$;
