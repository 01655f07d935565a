create or replace view ops.unreadable_events as
select e.id as event_id, e.type, e.fact ->> 'object' as object_id, e.source, e.said_at, e.received_at
from processor_events e
where e.outcome = 'unreadable'
order by e.received_at desc;
comment on view ops.unreadable_events is 'Events of the processor about objects that the service follows, in which a member is missing or impossible. None was applied: read the object at the processor.';
