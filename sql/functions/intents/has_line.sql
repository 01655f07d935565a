-- Whether intents wait for a slot of an upstream, and none was handed to them.
create or replace function has_line(at_upstream text) returns boolean
language plpgsql stable as $$
declare
  holders constant uuid[] := slot_holders(at_upstream);
begin
  return exists (
    select
    from intents w
    where w.waits_at = at_upstream and w.id <> all(holders)
  );
end $$;
