-- Outside a transaction
-- Warnings, and payment intents that were paid in the name of a payment: not those of other software at the same account at the processor, which name
-- none. They are counted at every reading of the metrics.
drop index concurrently if exists processor_events_suspected;

create index concurrently processor_events_suspected on processor_events (said_at)
where closed_at is null
  and (fact ->> 'about' = 'warning' or (type = 'payment_intent.succeeded' and outcome = 'not_ours' and fact ->> 'paymentId' is not null));

drop index concurrently if exists processor_events_suspect;
