-- Lets the statement of a batch wait for no lock for longer than `wait_ms` from here to its end: nobody waits for what somebody holds on what another
-- asked for (src/db/batch.ts). Returns the batch. Without `wait_ms`, as the release before calls it: half a second for more than one item.
create or replace function share_locks(batch jsonb, wait_ms integer default null) returns jsonb
language plpgsql as $$
begin
  if wait_ms is not null or jsonb_array_length(batch) > 1 then
    perform set_config('lock_timeout', coalesce(wait_ms, 500)::text, true);
  end if;
  return batch;
end $$;
