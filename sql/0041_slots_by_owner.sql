-- Outside a transaction
drop index concurrently if exists intents_without_slot_by_owner;

-- Intents that wait for a slot of an upstream: exits apart, by owner, in order of acceptance.
create index concurrently intents_without_slot_by_owner on intents (upstream, is_exit, owner, position)
where upstream is not null and state = 'queued';
