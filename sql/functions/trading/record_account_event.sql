-- Appends one event to an account's log. Take no further lock after it that others take before it. For this reason its callers call it
-- when everything else in their transaction is done.
create or replace function record_account_event(account text, of_type text, payload jsonb) returns void
language plpgsql as $$
declare
  new_position bigint;
begin
  insert into account_logs as l (prop_account_id, last_position)
  values (account, 1)
  on conflict (prop_account_id) do update set last_position = l.last_position + 1
  returning last_position into new_position;
  insert into account_events (prop_account_id, position, type, data, created_at)
  values (account, new_position, of_type, payload, clock_timestamp());
  perform pg_notify('account_events', account);
end $$;
