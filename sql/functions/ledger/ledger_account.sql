-- The account of a kind and currency, of a payout account where the kind has holders. It is created when it is first needed.
create or replace function ledger_account(of_kind text, of_holder text, of_currency text) returns bigint
language plpgsql as $$
declare
  holds text := case when of_kind in ('held', 'overdrawn', 'in_transit', 'bank') then of_holder end;
  account bigint;
begin
  loop
    select a.id into account
    from ledger_accounts a
    where a.kind = of_kind and a.holder is not distinct from holds and a.currency = of_currency;
    exit when account is not null;
    insert into ledger_accounts (kind, holder, currency) values (of_kind, holds, of_currency) on conflict do nothing;
  end loop;
  return account;
end $$;
