-- The intents that have a slot of an upstream. As an array, because a join of those that wait with the slots compares each with each.
create or replace function slot_holders(at_upstream text) returns uuid[]
language sql stable as $$
  select array(select u.intent_id from upstream_slots u where u.upstream = at_upstream and u.intent_id is not null)
$$;
