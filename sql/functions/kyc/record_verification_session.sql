-- Records a created verification session: ends its intent and updates the user's case. A verified case stays verified. A verification that was
-- begun in a session of the user that has been revoked meanwhile counts for nobody. The age of a case, for which it is read at the processor, is
-- that of its newest session. Locks the user's session.
create or replace function record_verification_session(intent uuid, held_fence integer, said jsonb, session text) returns void
language plpgsql as $$
declare
  is_revoked boolean;
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  select s.revoked_at is not null into is_revoked
  from intents i
  join user_sessions s on s.id = i.request ->> 'in_session'
  where i.id = intent
  for share of s;
  insert into kyc_cases as k (user_id, owner, provider, session_id, made_in_session)
  select i.request ->> 'user_id', i.owner, 'processor_identity', session, i.request ->> 'in_session'
  from intents i
  where i.id = intent and is_revoked is not true
  on conflict (user_id) do update
  set session_id = excluded.session_id, made_in_session = excluded.made_in_session, created_at = now(),
    earlier_session_ids = array_remove(array_append(k.earlier_session_ids, k.session_id), '')
  where k.verified_at is null;
  perform take_up_events(session);
end $$;
