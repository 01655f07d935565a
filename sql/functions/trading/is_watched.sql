-- Whether the positions of an account have to be polled.
create or replace function is_watched(account text) returns boolean
language sql stable as $$
  select exists (select from account_watches w where w.prop_account_id = account and w.listened_until > now())
    or exists (
      select
      from prop_accounts a
      join orders o on o.trader = a.synthetic_hotkey and o.is_resting
      where a.id = account and a.status in ('evaluation', 'funded')
    )
$$;
