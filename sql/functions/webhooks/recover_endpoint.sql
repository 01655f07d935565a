-- Queues again what an endpoint missed since a time: deliveries that failed or were cancelled, and subscribed events from while it was
-- inactive. Oldest first, at most `most`, spread over time by `per_second`, and only once in `pause_s` seconds, so that a receiver that has
-- just recovered is not overloaded. Verdicts: queued | unknown | inactive | too_soon. What it missed is read before the endpoint is locked: in a
-- long log that takes seconds, and who holds an endpoint keeps every event of its owner from being written, and what settles with one.
create or replace function recover_endpoint(
  of_owner text, endpoint text, since timestamptz, most integer, per_second integer, pause_s integer
) returns table (verdict text, queued integer)
language plpgsql as $$
declare
  target webhook_endpoints;
  missed text[];
begin
  select * into target from webhook_endpoints e where e.id = endpoint and e.owner = of_owner;
  if target.id is not null and coalesce(target.recovered_at <= now() - make_interval(secs => pause_s), true) then
    missed := array(
      select v.id
      from events v
      left join webhook_deliveries d on d.event_id = v.id and d.endpoint_id = endpoint
      where v.owner = of_owner
        and v.position >= (select position_since(of_owner, since))
        and case when d.id is not null
          then d.state in ('failed', 'cancelled')
          else v.created_at >= target.created_at and v.type <> 'webhook.test' and target.events && array[v.type, '*']
        end
      order by v.position
      limit most
    );
  end if;
  select * into target from webhook_endpoints e where e.id = endpoint and e.owner = of_owner for no key update;
  queued := 0;
  verdict := case
    when target.id is null then 'unknown'
    when not target.active then 'inactive'
    when target.recovered_at > now() - make_interval(secs => pause_s) then 'too_soon'
    else 'queued'
  end;
  if verdict <> 'queued' then
    return next;
    return;
  end if;
  update webhook_endpoints e set recovered_at = now() where e.id = endpoint;

  with planned as (
    insert into webhook_deliveries as d (id, owner, endpoint_id, event_id, due_at)
    select sortable_id('whd'), of_owner, endpoint, m.id, now() + make_interval(secs => (m.n - 1) / per_second)
    from unnest(missed) with ordinality m (id, n)
    join events v on v.id = m.id and v.owner = of_owner -- it may have been deleted meanwhile
    on conflict (endpoint_id, event_id) do update
    set state = 'pending', retry_step = 0, due_at = excluded.due_at, ended_at = null
    where d.state in ('failed', 'cancelled')
    returning d.id
  )
  select count(*) into queued from planned;
  perform dispatch_due_deliveries(endpoint);
  return next;
end $$;
