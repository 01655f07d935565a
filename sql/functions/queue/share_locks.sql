-- Limits each lock wait of the rest of this statement to `wait_ms`, so that items of a batch do not wait for a lock that only one of them needs
-- (src/db/batch.ts). Returns the batch. Without `wait_ms`, as the previous release calls it: half a second for more than one item.
create or replace function share_locks(batch jsonb, wait_ms integer default null) returns jsonb
language plpgsql as $$
begin
  if wait_ms is not null or jsonb_array_length(batch) > 1 then
    perform set_config('lock_timeout', coalesce(wait_ms, 500)::text, true);
  end if;
  return batch;
end $$;
