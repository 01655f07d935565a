-- The one way to change the state of orders. Each change names an order (`id`) and the members that are to be other: lifecycle, handle, terms,
-- executed, protection; null leaves a member unchanged. With `if_resting` an order that is no longer resting stays unchanged. Returns the orders that
-- are no longer open by this: the caller hands them to emit_ended as its last step. Locks the orders.
create or replace function change_orders(changes jsonb) returns uuid[]
language sql as $$
  with changed as (
    update orders o
    set lifecycle = coalesce(c.lifecycle, o.lifecycle), handle = coalesce(c.handle, o.handle), terms = coalesce(c.terms, o.terms),
      executed = coalesce(nullif(c.executed, 'null'::jsonb), o.executed), protection = coalesce(nullif(c.protection, 'null'::jsonb), o.protection)
    from jsonb_to_recordset(changes) as c (
      id uuid, lifecycle text, handle text, terms jsonb, executed jsonb, protection jsonb, if_resting boolean
    )
    join orders before on before.id = c.id
    where o.id = c.id and (c.if_resting is not true or before.lifecycle = 'resting')
    returning o.id, before.lifecycle = 'resting' and o.lifecycle is distinct from 'resting' as is_closed
  )
  select coalesce(array_agg(c.id) filter (where c.is_closed), '{}')
  from changed c
$$;
