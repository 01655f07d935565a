-- What the money of a payment or payout adds up to in these accounts and this currency.
create or replace function ledger_sum(of_subject text, accounts text[], of_currency text) returns bigint
language sql stable as $$
  select coalesce(sum(l.amount), 0)::bigint
  from ledger_lines l
  where l.subject = of_subject and l.account = any(accounts) and l.currency = of_currency
$$;
