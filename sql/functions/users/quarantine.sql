-- Ends what may have been made with a stolen session and outlives it. Of one session: everything that it made, and a payout account whose bank
-- account it could change. Without one, after a reset of the password: what any session of the last 30 days, the longest life of one, may have made.
-- Trader keys are revoked, payout accounts are detached, payouts that have not been sent fail, verifications that have not ended count for nobody,
-- and an authenticator is removed that no log-in has used: it waits for its first code, or was enabled after the last proof of the password. A user
-- who loses a payout account is mailed.
-- `all_keys` false, of a reset: keys that are older than that proof stay. Locks the user, then its keys, accounts, payouts and verification; its
-- last lock is the event log.
create or replace function quarantine(for_user text, of_session text default null, all_keys boolean default true) returns void
language plpgsql as $$
declare
  proven timestamptz;
  stopped payouts[];
begin
  select coalesce(u.password_proven_at, '-infinity') into proven from users u where u.id = for_user for no key update;
  update users u
  set totp_seed = null, totp_step = null, totp_enabled_at = null, totp_session_id = null
  where u.id = for_user and (of_session is null or u.totp_session_id = of_session)
    and (u.totp_enabled_at is null or u.totp_enabled_at > proven);
  update trader_keys k
  set revoked_at = now()
  where k.user_id = for_user and k.revoked_at is null
    and case when of_session is not null then of_session = k.made_in_session else all_keys or k.created_at > proven end;
  update connect_accounts c
  set detached_at = now(), detached_because = 'quarantine'
  where c.user_id = for_user and c.detached_at is null
    and case
      when of_session is not null then of_session = c.made_in_session or of_session = any(c.linked_in_sessions)
      else greatest(c.destination_at, c.linked_at) > now() - interval '30 days'
    end;
  if found then
    perform mail_user(for_user, 'payout_account_detached', gen_random_uuid(), '{}', 86400);
  end if;
  with failed as (
    update payouts p
    set status = 'failed', failure_reason = 'quarantined', emitted_failure = 'quarantined'
    where p.user_id = for_user and p.status = 'pending'
      and case when of_session is not null then p.made_in_session = of_session else p.requested_at > now() - interval '30 days' end
    returning p.*
  )
  select array_agg(f::payouts order by f.id) into stopped from failed f;
  perform reserve_earnings(p, 0) from unnest(stopped) p;
  perform drop_verification(for_user, of_session); -- kyc_cases
end $$;
