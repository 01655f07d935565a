-- Writes the statement lines of what was executed of resting orders of a wallet: [{id, filled, worth, was_filled, was_worth}]. Each states what was
-- added, at its average price.
create or replace function state_exchange_fills(wallet text, executed jsonb) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, side, quantity, price, progress)
  select statement_id(o.owner, 'fill', wallet, coalesce(o.given_id, o.id)::text, e.filled, o.id), o.owner, 'fill', 'executed', clock_timestamp(),
    'exvenue', wallet, coalesce(o.given_id, o.id)::text, o.pair, terms_of(o.id, o.terms) ->> 'side',
    e.filled - e.was_filled, average_price(e.worth - e.was_worth, e.filled - e.was_filled), e.filled
  from jsonb_to_recordset(executed) as e (id uuid, filled numeric, worth numeric, was_filled numeric, was_worth numeric)
  join orders o on o.id = e.id
  where e.filled > e.was_filled
  order by o.id
  on conflict (id) do nothing
$$;
