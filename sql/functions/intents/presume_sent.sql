-- Puts a claimed intent of a restored database in doubt without sending it: its payload is what would be sent now, and its upstream is
-- searched for what was sent then. Orders count as sent now, since absence at a venue is proven only from then on; all others from the
-- earliest time at which they may have been. False: the claim is lost. Locks the intent, then its lane.
create or replace function presume_sent(intent uuid, held_fence integer, what jsonb) returns boolean
language plpgsql as $$
declare
  kind_presumed text;
begin
  update intents
  set sending_at = case when venue_of(kind) is not null then now() else presumed_sent_at end, sent_payload = what
  where id = intent and fence = held_fence and settled_at is null and state not in ('queued', 'in_doubt') and sending_at is null
    and presumed_sent_at is not null
  returning kind into kind_presumed;
  if not found then
    return false;
  end if;
  if kind_presumed = 'registration/purchase' then
    perform follow_purchase(intent);
  end if;
  return mark_in_doubt(intent, held_fence, 0, 'the database was restored: it may have been sent after the backup');
end $$;
