-- Emits an event about a subaccount of a partner that was made, has another status, or was moved: to its former owner too.
-- Body of trigger subaccounts_emit.
create or replace function emit_subaccount() returns trigger
language plpgsql as $$
declare
  recipient text;
begin
  perform pg_notify('traded', t.trader) -- who reads after the event must not read what was cached before
  from unnest(array[new.synthetic_hotkey, new.ex_address]) as t (trader)
  where tg_op = 'UPDATE' and t.trader is not null;
  for recipient in
    select p.id
    from partners p
    where p.id in (new.owner, case when tg_op = 'UPDATE' then old.owner end)
    order by p.id
  loop
    perform emit_event(recipient, 'subaccount.updated', jsonb_build_object(
      'subaccount_id', new.subaccount_id,
      'status', case when recipient = new.owner then new.status else 'moved' end,
      'asset_class', new.asset_class,
      'account_size', new.account_size,
      'ex_address', new.ex_address
    ));
  end loop;
  return null;
end $$;
