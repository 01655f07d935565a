-- Notifies the outbound runners of all workers that a job of theirs was queued. Without it they find it within half a second.
create or replace function announce_outbound() returns void
language sql as $$
  select pg_notify('outbound_jobs', '')
$$;
