-- Commits the payload and the fact that bytes may leave from now on. False: the claim is lost or the deadline has passed, and nothing may
-- be sent. Also changes the registration of a purchase (follow_purchase). Locks the intent; finds it by its id only, see settle_intent.
create or replace function begin_sending(intent uuid, held_fence integer, what jsonb) returns boolean
language plpgsql as $$
declare
  kind_sent text;
begin
  update intents
  set sending_at = now(), sent_payload = what
  where id = intent and fence = held_fence and settled_at is null and state not in ('queued', 'in_doubt')
    and sending_at is null and deadline_at > now()
  returning kind into kind_sent;
  if not found then
    return false;
  end if;
  if kind_sent = 'registration/purchase' then
    perform follow_purchase(intent);
  end if;
  return true;
end $$;
