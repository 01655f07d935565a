-- A leg of a transaction: an amount from one kind of account to another. A negative amount goes the other way.
create or replace function leg(from_account text, to_account text, currency text, amount bigint) returns jsonb
language sql immutable as $$
  select jsonb_build_object('from', from_account, 'to', to_account, 'currency', currency, 'amount', amount)
$$;
