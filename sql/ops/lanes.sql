create or replace view ops.lanes as
select l.name as lane, l.head,
  (
    select count(*)
    from intents i
    where i.lane = l.name and i.phase = 'pending' and i.state = 'queued'
  )::integer as waiting
from lanes l;
comment on view ops.lanes is
  'Lanes. head is an intent of the lane whose turn it is; others may run alongside it. waiting is the number of queued intents, including the '
  'head.';
