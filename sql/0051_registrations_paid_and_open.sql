-- Outside a transaction
-- Registrations that were paid and are open, also those in a state that the registrar calls processing or whose name is unknown.
drop index concurrently if exists registrations_paid_and_open;

create index concurrently registrations_paid_and_open on registrations (paid_at)
where status in ('pending', 'processing') and tx_hash is not null;

drop index concurrently if exists registrations_paid_and_pending;
