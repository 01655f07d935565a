-- A partner's key or an app's secret as used now, for the column `credentials` of an endpoint: {id: time}. Null: it has ended. Locks it, so that who
-- ends it because it is stolen sees what it set, or this sees that it has ended: by the clock, as this transaction may have begun before.
create or replace function use_credentials(credential text) returns jsonb
language plpgsql as $$
begin
  perform
  from partner_keys k
  where k.id = credential and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
  for share;
  if not found then
    perform from app_secrets s where s.id = credential and (s.expires_at is null or s.expires_at > clock_timestamp()) for share;
  end if;
  return case when found then jsonb_build_object(credential, now()) end;
end $$;
