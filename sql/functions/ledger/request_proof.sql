-- Queues a proof of the ledger (ledger/prove) now; one that is queued runs once.
create or replace function request_proof() returns void
language sql as $$
  select graphile_worker.add_job('ledger/prove', '{}', job_key => 'ledger-prove', max_attempts => 25)
$$;
