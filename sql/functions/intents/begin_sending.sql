-- Commits the payload and the fact that bytes may leave from now on. False: the claim is lost or the deadline has passed, and nothing may
-- be sent. `claims`: the intent is not claimed yet; `held_fence` is the one that was read, and this claims it with the
-- next one; see may_begin_sending. Also changes the registration of a purchase (follow_purchase). Locks the intent; finds it by its id only, see
-- settle_intent.
create or replace function begin_sending(intent uuid, held_fence integer, what jsonb, claims boolean default false) returns boolean
language plpgsql as $$
declare
  kind_sent text;
begin
  update intents
  set state = 'running', fence = fence + claims::integer, attempts = attempts + claims::integer, sender_lost = sender_lost and not claims,
    sending_at = now(), sent_payload = what
  where id = intent and fence = held_fence and may_begin_sending(intents, claims)
  returning kind into kind_sent;
  if not found then
    return false;
  end if;
  if kind_sent = 'registration/purchase' then
    perform follow_purchase(intent);
  end if;
  return true;
end $$;
