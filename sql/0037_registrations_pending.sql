create index registrations_paid_and_pending on registrations (paid_at) where status = 'pending' and tx_hash is not null;
