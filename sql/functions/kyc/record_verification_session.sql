-- Records a created verification session: ends its intent and updates the user's case. A verified case stays verified.
create or replace function record_verification_session(intent uuid, held_fence integer, said jsonb, session text) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  insert into kyc_cases as k (user_id, owner, provider, session_id)
  select i.request ->> 'user_id', i.owner, 'processor_identity', session
  from intents i
  where i.id = intent
  on conflict (user_id) do update
  set session_id = excluded.session_id, earlier_session_ids = array_append(k.earlier_session_ids, k.session_id)
  where k.verified_at is null;
  perform take_up_events(session);
end $$;
