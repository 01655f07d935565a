-- Emits an event for each order verb of a partner that this transaction has ended (note_partner_verb). Called at the end of the
-- transaction, where the orders have their final state; only the first call does anything. Locks the event logs in the order of their
-- owners, as the last locks of the transaction. string_to_table is estimated alike for any text, so the plan is kept: of an array it is made
-- anew each time, which takes longer than the query.
create or replace function emit_partner_verbs() returns void
language plpgsql as $$
declare
  ended text := current_setting('service.ended_verbs', true);
  log record;
begin
  if coalesce(ended, '') in ('', 'emitted') then
    return;
  end if;
  perform set_config('service.ended_verbs', 'emitted', true);
  for log in
    select i.owner, array_agg(
      partner_order_event(regexp_replace(i.kind, '^.*/', ''), case when m.about ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then m.about::uuid else i.id end, i)
      order by i.settled_at, i.position
    ) as abouts
    from string_to_table(ended, ',') as e (id)
    cross join lateral (
      select *
      from intents w
      where w.id = e.id::uuid
      limit 1
    ) i
    cross join lateral (
      select coalesce(i.outcome -> 'result' ->> 'order_uuid', i.request ->> 'target') as about
    ) m
    where exists (select from partners p where p.id = i.owner)
    group by i.owner
    order by i.owner
  loop
    perform emit_events(log.owner, 'order.updated', log.abouts);
  end loop;
end $$;
