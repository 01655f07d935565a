-- Whether intents wait for a slot where this one holds one.
create or replace function has_line(intent uuid) returns boolean
language plpgsql stable as $$
declare
  at_upstream constant text := (select i.upstream from intents i where i.id = intent);
begin
  return exists (select from intents w where w.waits_at = at_upstream);
end $$;
