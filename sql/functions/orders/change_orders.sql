-- The one way to change the state of orders. Each change names an order (`id`) and the members that change: lifecycle, handle, terms, executed,
-- protection; null leaves a member unchanged. `exits`, if it is there, are those that it wants of its position from now on, with `by_intent` and
-- `replaces_all` (see want_exits). With `if_resting` an order that is no longer resting stays unchanged, and with `if_terms` one that has others. One
-- that a verb has found resting stays ended, if a read that was recorded meanwhile has shown it filled or cancelled: what it wants follows from that.
-- Returns the orders that are no longer open by this: the caller hands them to emit_ended as its last step. Locks the traders (lock_trader), then the
-- orders, one by one by their ids: a join of the batch with the table is planned for a hundred rows and would read a small table whole. The update
-- itself takes the lock, which saves a record in the log. Then locks their rows of wanted exits.
create or replace function change_orders(changes jsonb) returns uuid[]
language plpgsql as $$
declare
  c record;
  was record;
  closed uuid[] := '{}';
  wanted jsonb[] := '{}';
begin
  perform lock_trader(t.venue, t.trader)
  from (
    select distinct o.venue, o.trader
    from jsonb_to_recordset(changes) as r (id uuid)
    cross join lateral (
      select x.venue, x.trader
      from orders x
      where x.id = r.id
      limit 1
    ) o
    order by 1, 2
  ) t;
  <<each_change>>
  for c in
    select r.*
    from jsonb_to_recordset(changes) as r (
      id uuid, lifecycle text, handle text, terms jsonb, executed jsonb, protection jsonb, if_resting boolean, if_terms jsonb, exits jsonb,
      by_intent uuid, replaces_all boolean
    )
    order by r.id
  loop
    loop
      if c.if_resting then
        perform from orders o where o.id = c.id for update;
      end if;
      select o.lifecycle, o.venue, o.owner, o.trader, o.pair, case when c.if_terms is not null then terms_of(o.id, o.terms) end as terms into was
      from orders o
      where o.id = c.id;
      continue each_change when not found or c.if_resting and was.lifecycle is distinct from 'resting' or c.if_terms <> was.terms;
      if c.lifecycle = 'resting' and was.lifecycle in ('filled', 'cancelled') then
        c.lifecycle := null;
        c.exits := case when c.exits is not null then (
          select coalesce(jsonb_agg(e.entry - 'waits'), '[]')
          from jsonb_array_elements(c.exits) as e (entry)
          where e.entry ? 'waits' = (was.lifecycle = 'filled') -- what else does not wait for a fill is an exit itself
            and coalesce(e.entry ->> 'take_profit', e.entry ->> 'stop_loss', e.entry ->> 'trailing_stop') is not null
        ) end;
      end if;
      update orders o
      set lifecycle = coalesce(c.lifecycle, o.lifecycle), handle = case when c.handle is null then o.handle else nullif(c.handle, o.id::text) end,
        ended_at = case
          when coalesce(c.lifecycle, o.lifecycle) is not distinct from o.lifecycle then o.ended_at
          when c.lifecycle <> 'resting' then now()
        end,
        terms = coalesce(c.terms, o.terms), executed = coalesce(nullif(c.executed, 'null'::jsonb), o.executed),
        protection = coalesce(nullif(c.protection, 'null'::jsonb), o.protection)
      where o.id = c.id and o.lifecycle is not distinct from was.lifecycle;
      exit when found; -- else it has just become another one
    end loop;
    if was.lifecycle = 'resting' and c.lifecycle <> 'resting' then
      closed := closed || c.id;
    end if;
    if c.exits is not null then
      wanted := wanted || jsonb_build_object('venue', was.venue, 'owner', was.owner, 'trader', was.trader, 'pair', was.pair, 'id', c.id,
        'by_intent', c.by_intent, 'exits', c.exits, 'replaces_all', c.replaces_all);
    end if;
  end loop;
  perform want_exits(w.entry ->> 'venue', w.entry ->> 'owner', w.entry ->> 'trader', w.entry ->> 'pair', (w.entry ->> 'id')::uuid,
    (w.entry ->> 'by_intent')::uuid, w.entry -> 'exits',
    case when (w.entry ->> 'replaces_all')::boolean then array['take_profit', 'stop_loss', 'trailing_stop'] else '{}' end)
  from (
    select u.entry
    from unnest(wanted) as u (entry)
    order by u.entry ->> 'trader', u.entry ->> 'pair'
  ) w;
  return closed;
end $$;
