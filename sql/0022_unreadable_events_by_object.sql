-- Outside a transaction
alter table payments validate constraint payments_stop_known;

alter table operator_actions validate constraint operator_actions_known;

drop index concurrently if exists processor_events_unclosed;

create index concurrently processor_events_unclosed on processor_events (object_id) where outcome = 'unreadable' and closed_at is null;
