create or replace view ops.unreadable_events as
select e.id as event_id, e.type, e.object_id, e.source, e.said_at, e.received_at, e.payment_id
from processor_events e
where e.outcome = 'unreadable' and e.closed_at is null
order by e.received_at desc;
comment on view ops.unreadable_events is
  'Events of the processor about objects of ours in which a member is missing or impossible, or that contradict what is known. None was applied, '
  'and each stops the account or the payouts that it is about: read the object at the processor, then ops.dismiss_event.';
