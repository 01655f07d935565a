-- Lets a statement for several callers, a batch of more than one item, wait for no lock for longer than half a second from here to its end: it is
-- then run again item by item (src/db/batch.ts), and nobody waits for what somebody holds on what another asked for. Returns the batch.
create or replace function share_locks(batch jsonb) returns jsonb
language plpgsql as $$
begin
  if jsonb_array_length(batch) > 1 then
    perform set_config('lock_timeout', '500', true);
  end if;
  return batch;
end $$;
