create or replace view ops.lanes as
select l.name as lane, l.head,
  (
    select count(*)
    from intents i
    where i.lane = l.name and i.state = 'queued'
  )::integer as waiting
from lanes l;
comment on view ops.lanes is 'Lanes. head is the only intent of the lane that may run. waiting is the number of queued intents, including the head.';
