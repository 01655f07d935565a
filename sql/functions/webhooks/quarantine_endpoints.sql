-- Deactivates the endpoints of an owner whose address was set, or whose secret was shown, with credentials that are stolen, in the last 30 days: the
-- thief may read what is sent there, or sign it. A mail tells the owner, who activates their own again. Returns their ids. Locks the endpoints,
-- then their deliveries.
create or replace function quarantine_endpoints(of_owner text, stolen text[]) returns text[]
language sql as $$
  select coalesce(array_agg(e.id order by e.id) filter (where deactivate_endpoint(e.id, 'stolen')), '{}')
  from webhook_endpoints e
  where e.owner = of_owner and e.active
    and exists (
      select
      from jsonb_each_text(e.credentials) c
      where c.key = any(stolen) and c.value::timestamptz > now() - interval '30 days'
    )
$$;
