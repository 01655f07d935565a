-- The last step of every statement that ends intents or orders, in one call for all of them: states what was executed, emits an event for each order
-- verb that has ended, to the followers of its account or to its partner, and for each order that is no longer open (`closed`). A partner's verb that
-- ends the order it is about has an event of its own, which says so. Of an account it also queues the next poll of its positions. It sees what the
-- statement has written before. It locks the logs of accounts, then those of partners, each in the order of their names. Then it frees the slots
-- (leave_slots): no other lock is taken after the logs.
-- The plan is cached because string_to_table has the same estimate for any text; with an array PostgreSQL would plan each call. Each row is found by
-- its id (lateral, limit 1): a join would be planned for a thousand ids and read a small table whole.
create or replace function emit_ended(ended uuid[], closed uuid[]) returns void
language plpgsql as $$
declare
  fills jsonb := '[]';
  entries jsonb := '[]'; -- of logs: log, of_account, is_verb, settled_at, position, payload
  subjects uuid[];
  log record;
begin
  if cardinality(ended) > 0 then
    select coalesce(jsonb_agg(v.fill) filter (where v.fill is not null), '[]'), array_agg(v.subject),
      coalesce(jsonb_agg(jsonb_build_object('log', v.log, 'of_account', v.of_account, 'is_verb', true, 'settled_at', v.settled_at,
        'position', v.position, 'payload', v.payload)), '[]')
    into fills, subjects, entries
    from (
      select s.subject, i.settled_at, i.position, a.of_account,
        case when a.of_account then i.request ->> 'prop_account_id' else i.owner end as log,
        case
          when a.of_account then order_event(split_part(i.kind, '/', 2), s.subject, o, i)
          else partner_order_event(split_part(i.kind, '/', 2), s.subject, o, i)
        end as payload,
        case when i.state = 'succeeded' then verb_fill(s.subject, o, i) end as fill
      from string_to_table(array_to_string(ended, ','), ',') as e (id)
      cross join lateral (
        select *
        from intents w
        where w.id = e.id::uuid
        limit 1
      ) i
      cross join lateral (select verb_subject(i) as subject offset 0) s
      cross join lateral (select i.request ? 'prop_account_id' as of_account) a
      left join lateral (
        select *
        from orders x
        where x.id = s.subject
        limit 1
      ) o on true
      where venue_of(i.kind) is not null
      offset 0
    ) v;
  end if;
  if cardinality(closed) > 0 then
    select fills || coalesce(jsonb_agg(c.fill) filter (where c.fill is not null), '[]'),
      entries || coalesce(jsonb_agg(jsonb_build_object('log', c.account, 'of_account', true, 'is_verb', false, 'payload', c.account_payload))
          filter (where c.account is not null), '[]')
        || coalesce(jsonb_agg(jsonb_build_object('log', c.owner, 'of_account', false, 'is_verb', false, 'payload', c.payload))
          filter (where c.payload is not null), '[]')
    into fills, entries
    from (
      select o.owner, a.id as account, order_event('lifecycle', o.id, o, null) as account_payload,
        case when o.id <> all(coalesce(subjects, '{}')) then partner_order_event('lifecycle', o.id, o, null) end as payload,
        case when o.venue = 'netvenue' and o.lifecycle = 'filled' then order_fill(o, a.id) end as fill,
        pg_notify('traded', o.trader) -- who reads after the event must not read what was cached before; of an intent, settle_intent has done so
      from string_to_table(array_to_string(closed, ','), ',') as e (id)
      cross join lateral (
        select *
        from orders x
        where x.id = e.id::uuid
        limit 1
      ) o
      left join lateral (
        select p.id
        from prop_accounts p
        where p.synthetic_hotkey = o.trader and p.owner = o.owner
        limit 1
      ) a on true
      offset 0
    ) c;
  end if;

  perform state_fills(fills);
  for log in
    select r.of_account, r.log, array_agg(r.payload order by r.is_verb desc, r.settled_at, r.position) as payloads,
      count(*) filter (where r.is_verb) as verbs
    from jsonb_to_recordset(entries) as r (
      log text, of_account boolean, is_verb boolean, settled_at timestamptz, position bigint, payload jsonb
    )
    group by r.of_account, r.log
    order by r.of_account desc, r.log
  loop
    if log.of_account then
      perform record_account_event(log.log, 'order', p.payload) from unnest(log.payloads) as p (payload);
      perform plan_watch(log.log, 0) where log.verbs > 0;
    elsif exists (select from partners p where p.id = log.log) then
      perform emit_events(log.log, 'order.updated', log.payloads);
    end if;
  end loop;
  perform leave_slots(ended) where cardinality(ended) > 0;
end $$;
