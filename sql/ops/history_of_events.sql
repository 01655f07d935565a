-- Internal to the kit: the events about the objects that an intent belongs to, emitted within 1 hour of its end.
create or replace function ops.history_of_events(ids jsonb, i intents) returns table (at timestamptz, what text, detail text)
language sql stable as $$
  (
    select e.created_at, 'event', format('%s %s%s', e.type, e.id, (
      select ', deliveries: ' || string_agg(format('%s %s', n.count, n.state), ', ' order by n.state)
      from (
        select d.state, count(*)
        from webhook_deliveries d
        where d.event_id = e.id
        group by d.state
      ) n
    ))
    from events e
    where e.owner = i.owner
      and e.position >= position_since(i.owner, i.created_at)
      and e.position < position_since(i.owner, coalesce(i.settled_at, now()) + interval '1 hour') -- else the rest of the log is read
      and exists (
        select
        from jsonb_each_text(ids - 'user_id' - 'trader') as named (member, id)
        where strpos(e.data, named.id) > 0
      )
    order by e.position
    limit 50
  )
  union all
  select e.created_at, 'emitted to the stream', format('%s %s, %s', e.type, e.data ->> 'action', e.data ->> 'status')
  from account_events e
  where e.prop_account_id = ids ->> 'prop_account_id' and e.data ->> 'intent_id' = i.id::text
$$;
comment on function ops.history_of_events is 'Internal to the kit.';
