-- Records that an upstream has responded to a look-up after the request of an intent was sent: the request no longer waits there and ends
-- within `for_s`. Its slot is held until then. Returns the seconds since the first such response. Locks the intent, then its slot.
create or replace function note_reached(intent uuid, for_s double precision) returns double precision
language plpgsql as $$
declare
  since timestamptz;
begin
  update intents set reached_at = now() where id = intent and reached_at is null returning reached_at into since;
  if found then
    update upstream_slots u
    set held_until = now() + make_interval(secs => for_s)
    where u.upstream = (select i.upstream from intents i where i.id = intent) and u.intent_id = intent;
  else
    select i.reached_at into since from intents i where i.id = intent;
  end if;
  return extract(epoch from now() - since);
end $$;
