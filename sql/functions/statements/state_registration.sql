-- Writes the statement line of a registration that was paid, in USDC of the payment chain. Body of trigger registrations_state.
create or replace function state_registration() returns trigger
language plpgsql as $$
begin
  if old.tx_hash is null and new.tx_hash is not null then
    insert into statement_lines (id, owner, kind, what, at, venue, account, reference, amount, currency)
    values (
      sortable_id('stl'), new.owner, 'payment', 'registration', clock_timestamp(), 'exvenue', new.ex_address, new.id::text,
      (select -(i.sent_payload -> 'authorization' ->> 'value')::numeric / 1000000 from intents i where i.id = new.id), 'USDC'
    );
  end if;
  return null;
end $$;
