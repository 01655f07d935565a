-- Detaches an account at the processor from its user, and mails the user: no payout goes there any more, not even one that is accepted and
-- not sent yet. False: it is detached already. The user may open another account, and pending payouts go to that one. Locks the account.
create or replace function detach_payout_account(account text, because text) returns boolean
language plpgsql as $$
declare
  whose text;
begin
  update connect_accounts c
  set detached_at = now(), detached_because = because
  where c.processor_account_id = account and c.detached_at is null
  returning c.user_id into whose;
  if whose is null then
    return false;
  end if;
  perform mail_user(whose, 'payout_account_detached', gen_random_uuid(), '{}', 86400);
  return true;
end $$;
