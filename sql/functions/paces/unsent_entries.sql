-- How many orders and edits of a trader of the network are accepted and not sent yet. Its lanes follow each other in the index of open lanes.
create or replace function unsent_entries(trader text) returns bigint
language sql stable as $$
  select count(*)
  from intents i
  where i.lane ~>=~ ('netvenue:' || trader || ':') and i.lane ~<~ ('netvenue:' || trader || ';')
    and i.phase = 'pending' and i.kind in ('network/place', 'network/edit') and i.sending_at is null
$$;
