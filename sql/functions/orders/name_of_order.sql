-- The caller's name of an order, else this service's id of it. `o`: its row, null for a verb that placed none. `i`: the verb of the event, null for
-- the end of a resting order.
create or replace function name_of_order(subject uuid, o orders, i intents) returns uuid
language sql immutable as $$
  select coalesce(o.given_id, case when i.id = subject then i.given_id end, subject)
$$;
