-- Lets the sessions at the processor that a stolen session of a user may have begun count for nobody: whoever has their link would be verified as the
-- user. A verified case stays. `of_session`: the newest one only if it began that; earlier ones anyway, since nothing shows who began them. The user
-- begins another. Locks the case; its last lock is the event log.
create or replace function drop_verification(for_user text, of_session text) returns void
language plpgsql as $$
declare
  had kyc_cases;
begin
  select * into had
  from kyc_cases k
  where k.user_id = for_user and k.verified_at is null and k.session_id <> ''
  for update;
  if had.user_id is null then
    return;
  end if;
  if of_session is not null and had.made_in_session is distinct from of_session then
    update kyc_cases k set earlier_session_ids = '{}' where k.user_id = for_user;
    return;
  end if;
  update kyc_cases k
  set session_id = '', earlier_session_ids = '{}', made_in_session = null, status = 'unverified', status_at = null, failure_reason = null
  where k.user_id = for_user;
  if had.status <> 'unverified' then
    perform emit_event(had.owner, 'kyc.updated', jsonb_build_object('user_id', for_user, 'kyc_provider', had.provider, 'kyc_status', 'unverified',
      'kyc_verified_at', null, 'kyc_failure_reason', null));
  end if;
end $$;
