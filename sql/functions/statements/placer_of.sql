-- Whose order or command this is. Null if it is not kept any more.
create or replace function placer_of(verb uuid) returns text
language sql stable as $$
  select coalesce((select o.owner from orders o where o.id = verb), (select i.owner from intents i where i.id = verb))
$$;
