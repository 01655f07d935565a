-- The venue of an order verb, by its kind; null for a kind of another verb.
create or replace function venue_of(of_kind text) returns text
language sql stable as $$
  select k.venue
  from intent_kinds k
  where k.kind = of_kind
$$;
