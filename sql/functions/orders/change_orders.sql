-- The one way to change the state of orders. Each change names an order (`id`) and the members that are to be other: lifecycle, handle, terms,
-- executed, protection; null leaves a member unchanged. `exits`, if it is there, are those that it wants of its position from now on, with `by_intent` and
-- `replaces_all` (see want_exits). With `if_resting` an order that is no longer resting stays unchanged. Returns the orders that
-- are no longer open by this: the caller hands them to emit_ended as its last step. Locks the orders, then their rows of wanted exits.
create or replace function change_orders(changes jsonb) returns uuid[]
language sql as $$
  with changed as (
    update orders o
    set lifecycle = coalesce(c.lifecycle, o.lifecycle), handle = coalesce(c.handle, o.handle), terms = coalesce(c.terms, o.terms),
      executed = coalesce(nullif(c.executed, 'null'::jsonb), o.executed), protection = coalesce(nullif(c.protection, 'null'::jsonb), o.protection)
    from jsonb_to_recordset(changes) as c (
      id uuid, lifecycle text, handle text, terms jsonb, executed jsonb, protection jsonb, if_resting boolean,
      exits jsonb, by_intent uuid, replaces_all boolean
    )
    join orders before on before.id = c.id
    where o.id = c.id and (c.if_resting is not true or before.lifecycle = 'resting')
    returning o.id, before.lifecycle = 'resting' and o.lifecycle is distinct from 'resting' as is_closed,
      o.venue, o.owner, o.trader, o.pair, c.exits, c.by_intent, c.replaces_all is true as replaces_all
  ), wanted as (
    select count(want_exits(w.venue, w.owner, w.trader, w.pair, w.id, w.by_intent, w.exits,
      case when w.replaces_all then array['take_profit', 'stop_loss', 'trailing_stop'] else '{}' end)::text)
    from (
      select *
      from changed c
      where c.exits is not null
      order by c.trader, c.pair
    ) w
  )
  select coalesce(array_agg(c.id) filter (where c.is_closed), '{}')
  from changed c
  cross join wanted
$$;
