-- Writes the statement lines of a payment whose figures have changed: what was received, refunded, disputed or won back. Body of trigger
-- payments_state.
create or replace function state_payment() returns trigger
language plpgsql as $$
begin
  insert into statement_lines (id, owner, kind, what, at, user_id, reference, amount, currency)
  select sortable_id('stl'), new.owner, 'payment', m.what, clock_timestamp(), new.user_id, new.id, m.cents,
    coalesce(new.received_currency, new.currency)
  from (values
    ('received', new.received_cents - old.received_cents),
    ('refunded', old.refunded_cents - new.refunded_cents),
    ('disputed', old.disputed_cents - new.disputed_cents),
    ('won_back', new.won_back_cents - old.won_back_cents)
  ) as m (what, cents)
  where m.cents <> 0;
  return null;
end $$;
