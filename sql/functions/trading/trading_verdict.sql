-- Why a prop account may not execute an order verb; null if it may: account_unknown | subaccount_missing (also one that is
-- still being created or has another hotkey) | not_tradeable (stopped).
create or replace function trading_verdict(a prop_accounts, trader text) returns text
language sql immutable as $$
  select case
    when a.id is null then 'account_unknown'
    when a.synthetic_hotkey is null or a.synthetic_hotkey <> trader or a.status in ('provisioning', 'subaccount_failed')
      then 'subaccount_missing'
    when a.status not in ('evaluation', 'funded') then 'not_tradeable'
  end
$$;
