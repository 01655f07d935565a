-- The last step of every statement that ends intents or orders, in one call for all of them: states what was executed, emits an event for each
-- order verb that has ended, to the followers of its account or to its partner, and for each order that is no longer open (`closed`). A partner's
-- verb that ends the order it is about has an event of its own, which says so. Of an account it also queues the next poll of its positions.
-- It sees what the statement has written before. It locks the logs of accounts, then those of partners, each in the order of their names: no
-- lock is taken after them. string_to_table is estimated alike for any text, so the plan is kept: of an array it is made anew each time. Each row is
-- found by its id (lateral, limit 1): a join would be planned for a thousand ids, and reads all of a table that is small.
create or replace function emit_ended(ended uuid[], closed uuid[]) returns void
language plpgsql as $$
declare
  ended_ids text := coalesce(array_to_string(ended, ','), '');
  closed_ids text := coalesce(array_to_string(closed, ','), '');
  log record;
begin
  if ended_ids = '' and closed_ids = '' then
    return;
  end if;
  perform state_fills(ended_ids, closed_ids);
  perform pg_notify('traded', o.trader) -- who reads after the event must not read what was cached before; of an intent, settle_intent has done so
  from string_to_table(closed_ids, ',') as c (id)
  cross join lateral (
    select x.trader
    from orders x
    where x.id = c.id::uuid
    limit 1
  ) o;
  for log in
    select i.request ->> 'prop_account_id' as account, order_event(split_part(i.kind, '/', 2), verb_subject(i), i) as payload, true as is_verb,
      i.position
    from string_to_table(ended_ids, ',') as e (id)
    cross join lateral (
      select *
      from intents w
      where w.id = e.id::uuid
      limit 1
    ) i
    where i.request ? 'prop_account_id' and venue_of(i.kind) is not null
    union all
    select a.id, order_event('lifecycle', o.id, null), false, 0
    from string_to_table(closed_ids, ',') as c (id)
    cross join lateral (
      select x.id, x.trader, x.owner
      from orders x
      where x.id = c.id::uuid
      limit 1
    ) o
    cross join lateral (
      select p.id
      from prop_accounts p
      where p.synthetic_hotkey = o.trader and p.owner = o.owner
      limit 1
    ) a
    order by account, is_verb desc, position
  loop
    perform record_account_event(log.account, 'order', log.payload);
    if log.is_verb then
      perform plan_watch(log.account, 0);
    end if;
  end loop;
  for log in
    select u.owner, array_agg(u.payload order by u.is_verb desc, u.settled_at, u.position) as payloads
    from (
      select i.owner, partner_order_event(regexp_replace(i.kind, '^.*/', ''), verb_subject(i), i) as payload, true as is_verb, i.settled_at,
        i.position
      from string_to_table(ended_ids, ',') as e (id)
      cross join lateral (
        select *
        from intents w
        where w.id = e.id::uuid
        limit 1
      ) i
      where venue_of(i.kind) is not null and not i.request ? 'prop_account_id'
      union all
      select o.owner, partner_order_event('lifecycle', o.id, null), false, null, 0
      from string_to_table(closed_ids, ',') as c (id)
      cross join lateral (
        select x.id, x.owner
        from orders x
        where x.id = c.id::uuid
        limit 1
      ) o
      where not exists (
        select
        from string_to_table(ended_ids, ',') as e (id)
        cross join lateral (
          select verb_subject(w) as id
          from intents w
          where w.id = e.id::uuid
          limit 1
        ) s
        where s.id = o.id
      )
    ) u
    group by u.owner
    order by u.owner
  loop
    continue when not exists (select from partners p where p.id = log.owner);
    perform emit_events(log.owner, 'order.updated', log.payloads);
  end loop;
end $$;
