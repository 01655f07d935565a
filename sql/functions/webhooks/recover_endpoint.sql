-- Queues again what an endpoint missed since a time: deliveries that failed or were cancelled, and subscribed events from while it was inactive.
-- Oldest first, at most `most`, spread over time by `per_second`, and only once in `pause_s` seconds, so that a receiver that has just recovered is
-- not overloaded. Verdicts: queued | unknown | inactive | too_soon. The endpoint is locked last: finding what it missed in a long log takes seconds,
-- and while an endpoint is locked no event of its owner can be written and nothing with such an event can settle. If somebody else has recovered or
-- deactivated it meanwhile, everything is undone. Locks the deliveries, then the endpoint.
create or replace function recover_endpoint(
  of_owner text, endpoint text, since timestamptz, most integer, per_second integer, pause_s integer
) returns table (verdict text, queued integer)
language plpgsql as $$
declare
  paused_since timestamptz := now() - make_interval(secs => pause_s);
  target webhook_endpoints;
  missed text[];
begin
  select * into target from webhook_endpoints e where e.id = endpoint and e.owner = of_owner;
  if target.active and coalesce(target.recovered_at <= paused_since, true) then
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
  select 'queued', count(*) into verdict, queued from planned;
  update webhook_endpoints e
  set recovered_at = now()
  where e.id = endpoint and e.owner = of_owner and e.active and coalesce(e.recovered_at <= paused_since, true);
  if not found then
    raise exception 'endpoint % is not recovered', endpoint using errcode = 'TP002';
  end if;
  perform dispatch_due_deliveries(endpoint);
  return next;
exception
  when sqlstate 'TP002' then
    select * into target from webhook_endpoints e where e.id = endpoint and e.owner = of_owner;
    verdict := case when target.id is null then 'unknown' when not target.active then 'inactive' else 'too_soon' end;
    queued := 0;
    return next;
end $$;
