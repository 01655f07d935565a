-- What the caller calls an order: the name that it gave it, or this service's id of it. Of a verb (`i`) that placed none, `o` is null.
create or replace function name_of_order(subject uuid, o orders, i intents) returns uuid
language sql immutable as $$
  select coalesce(o.given_id, case when i.id = subject then i.given_id end, subject)
$$;
