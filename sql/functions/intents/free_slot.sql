-- Frees the slots of an intent at its upstream: because that has responded, else those whose hold is over. A slot that somebody else changes at this
-- moment, who notes a look-up or lends it, is waited for: release_slot would pass it over, and it would be held although the upstream has responded.
-- A statement of its own, so nobody waits for what it holds meanwhile. Locks the slots, then the line's lock (see claim_slot), shared.
create or replace function free_slot(intent uuid, has_responded boolean) returns void
language plpgsql as $$
declare
  held_at constant text := (select i.upstream from intents i where i.id = intent);
begin
  perform from upstream_slots u where u.upstream = held_at and u.intent_id = intent for update;
  if exists (
    select from upstream_slots u where u.upstream = held_at and u.intent_id = intent and (has_responded or u.held_until <= now())
  ) then
    perform release_slot(intent, held_at);
  end if;
end $$;
