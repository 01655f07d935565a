-- Whether intents wait for a slot of an upstream, and none was handed to them.
create or replace function has_line(at_upstream text) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select
    from intents w
    where w.waits_at = at_upstream
      and not exists (select from upstream_slots s where s.upstream = at_upstream and s.intent_id = w.id)
  );
end $$;
