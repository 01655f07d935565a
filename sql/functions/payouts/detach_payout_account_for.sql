-- detach_payout_account by an operator, who is recorded. Verdicts: done | unknown | detached (it is already).
create or replace function detach_payout_account_for(account text, by_operator text, because text, noted jsonb default '{}') returns text
language plpgsql as $$
begin
  if not exists (select from connect_accounts c where c.processor_account_id = account) then
    return 'unknown';
  elsif not detach_payout_account(account, 'operator') then
    return 'detached';
  end if;
  perform record_action(by_operator, 'detach_payout_account', account, null, null, because, noted || jsonb_build_object('verdict', 'done'));
  return 'done';
end $$;
