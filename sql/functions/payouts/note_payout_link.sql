-- Notes that a session is given a link to the pages of a payout account at the processor: whoever has it can change the bank account there.
-- False, without effect, for a session that has ended. Locks the session until the commit, then the account.
create or replace function note_payout_link(account text, session text) returns boolean
language plpgsql as $$
begin
  if not lock_live_session(session) then
    return false;
  end if;
  update connect_accounts c
  set linked_in_sessions = array(
      select s.id from user_sessions s where s.id = any(c.linked_in_sessions) and s.revoked_at is null and s.id <> session
    ) || session,
    linked_at = now()
  where c.processor_account_id = account;
  return true;
end $$;
