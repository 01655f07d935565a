-- Records a created verification session: ends its intent and updates the user's case. A verified case stays verified.
create or replace function record_verification_session(intent uuid, held_fence integer, said jsonb, session text) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  insert into kyc_cases as k (user_id, owner, provider, session_id)
  select i.request ->> 'user_id', i.owner, 'processor_identity', session
  from intents i
  where i.id = intent
  on conflict (user_id) do update
  set session_id = excluded.session_id, earlier_session_ids = array_append(k.earlier_session_ids, k.session_id)
  where k.verified_at is null;
  perform take_up_events(session);
  return true;
end $$;
