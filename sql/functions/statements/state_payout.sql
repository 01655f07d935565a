-- Writes the statement lines of a payout of which money was transferred or came back. Body of trigger payouts_state.
create or replace function state_payout() returns trigger
language plpgsql as $$
begin
  insert into statement_lines (id, owner, kind, what, at, account, user_id, reference, amount, currency)
  select sortable_id('stl'), new.owner, 'payout', m.what, clock_timestamp(), new.prop_account_id, new.user_id, new.id, m.cents, new.currency
  from (values
    ('transferred', old.transferred_cents - new.transferred_cents),
    ('reversed', new.reversed_cents - old.reversed_cents)
  ) as m (what, cents)
  where m.cents <> 0;
  return null;
end $$;
