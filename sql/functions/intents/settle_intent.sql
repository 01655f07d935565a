-- Ends an intent; nothing else does. False if the fence has moved on or the intent has ended already: then nothing is written.
-- `responded_s`: how long ago the upstream's response was here that ends it; null if none did: when one left it in doubt stays known.
-- Steps: ends the intent, changes the row it was about (follow_ending) or has the exits compared that an order verb may have changed
-- (exits_may_differ: unsent, one about a wallet that its owner has only named has changed none), passes its lane on (leave_lane), announces the end
-- (announce_intent). The event of an order verb is written, and a slot is freed, by emit_ended, the last step of the statement. Locks the intent,
-- then what follows it, then its lane.
-- It finds one row by its id and names no condition that implies an index of open rows (`state in …`): a plan that was made while that
-- index was empty would read all of it. `settled_at is null` has the same effect and implies no such index.
create or replace function settle_intent(intent uuid, held_fence integer, ending text, said jsonb, responded_s double precision default null)
returns boolean
language plpgsql as $$
declare
  ended intents;
  at_venue text;
  trader text;
begin
  update intents
  set state = ending, outcome = said, settled_at = now(),
    responded_at = coalesce(now() - make_interval(secs => responded_s), responded_at)
  where id = intent and fence = held_fence and settled_at is null
  returning * into ended;
  if not found then
    return false;
  end if;
  trader := coalesce(ended.request ->> 'trader', ended.request ->> 'wallet');
  at_venue := venue_of(ended.kind);
  if at_venue is null then
    perform follow_ending(intent, ended.kind, ending);
  elsif trader is not null and (ended.sending_at is not null or at_venue <> 'exvenue' or has_proven_wallet(ended.owner, trader)) then
    perform exits_may_differ(at_venue, trader);
  elsif trader is not null then
    perform lock_trader(at_venue, trader); -- as it does: before what the statement records
  end if;
  perform leave_lane(ended.lane, intent);
  if trader is not null then
    perform pg_notify('traded', trader); -- first: who waits for the intent must not read what was cached before
  end if;
  perform announce_intent('settled', ended);
  return true;
end $$;
