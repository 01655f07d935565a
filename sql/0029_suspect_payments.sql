-- Outside a transaction
drop index concurrently if exists processor_events_suspect;

create index concurrently processor_events_suspect on processor_events (said_at)
where closed_at is null and (fact ->> 'about' = 'warning' or (type = 'payment_intent.succeeded' and outcome = 'not_ours'));
