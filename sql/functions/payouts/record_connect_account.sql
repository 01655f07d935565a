-- Ends the creation of a user's account at the processor, and mails the user. A user keeps the account that was recorded first, unless this one
-- replaces it: then that one is detached. One that was opened in a session that has been revoked meanwhile is detached from the start, and replaces
-- nothing. Locks that session, then the account that is replaced.
create or replace function record_connect_account(intent uuid, held_fence integer, said jsonb, made jsonb) returns void
language plpgsql as $$
declare
  is_revoked boolean;
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  select s.revoked_at is not null into is_revoked from user_sessions s where s.id = made ->> 'made_in_session' for share;
  if made ->> 'replaces' is not null and is_revoked is not true then
    perform detach_payout_account(c.processor_account_id, 'user')
    from connect_accounts c
    where c.processor_account_id = made ->> 'replaces' and c.user_id = made ->> 'user_id';
  end if;
  insert into connect_accounts (
    id, owner, user_id, processor_account_id, country, is_abroad, payouts_enabled, transfers_enabled, charges_enabled, details_submitted,
    made_in_session, detached_at, detached_because
  )
  select m.id, m.owner, m.user_id, m.processor_account_id, m.country, m.is_abroad, m.payouts_enabled, m.transfers_enabled,
    m.charges_enabled, m.details_submitted, m.made_in_session, case when is_revoked then now() end, case when is_revoked then 'quarantine' end
  from jsonb_populate_record(null::connect_accounts, made) m
  on conflict do nothing;
  if found then
    perform mail_user(made ->> 'user_id', 'payout_account_opened', gen_random_uuid(), '{}', 86400);
  end if;
  perform take_up_events(made ->> 'processor_account_id');
end $$;
