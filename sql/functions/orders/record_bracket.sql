-- Records an order that protects a position, or its new terms, and its state: lifecycle, executed and protection, as the network shows them.
-- `its_exits`, if it is given, are the exits that `by_intent` wants from now on: with `is_whole` instead of all others of the position (see
-- want_exits), and instead of those of the order `instead_of`. Returns the orders that are no longer open by this. Locks the trader (lock_trader),
-- then the order, then the row of wanted exits.
create or replace function record_bracket(
  bracket uuid, of_owner text, of_trader text, at_venue text, its_terms jsonb, its_state jsonb default '{"lifecycle": "resting"}',
  its_exits jsonb default null, is_whole boolean default false, by_intent uuid default null, instead_of uuid default null
) returns uuid[]
language plpgsql as $$
declare
  was text;
begin
  perform lock_trader('netvenue', of_trader);
  select o.lifecycle into was from orders o where o.id = bracket and o.trader = of_trader;
  if was = 'filled' and its_state ->> 'lifecycle' = 'resting' then -- as in change_orders: a read has shown its execution before this is recorded
    update orders set terms = its_terms where id = bracket;
    its_exits := case when its_exits is not null then '[]' end;
  else
    insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, ended_at, executed, protection)
    values (
      bracket, 'netvenue', of_owner, of_trader, its_terms ->> 'trade_pair', nullif(at_venue, bracket::text), its_terms, its_state ->> 'lifecycle',
      case when its_state ->> 'lifecycle' <> 'resting' then now() end,
      nullif(its_state -> 'executed', 'null'::jsonb), nullif(its_state -> 'protection', 'null'::jsonb)
    )
    on conflict (id) do update
    set terms = excluded.terms, lifecycle = excluded.lifecycle, executed = excluded.executed, protection = excluded.protection,
      ended_at = excluded.ended_at
    where orders.trader = excluded.trader;
  end if;
  if instead_of <> bracket then
    perform want_exits('netvenue', of_owner, of_trader, its_terms ->> 'trade_pair', instead_of, by_intent, '[]');
  end if;
  if its_exits is not null then
    perform want_exits('netvenue', of_owner, of_trader, its_terms ->> 'trade_pair', bracket, by_intent, its_exits,
      case when is_whole then array['take_profit', 'stop_loss', 'trailing_stop'] else '{}' end);
  end if;
  return case when was = 'resting' and its_state ->> 'lifecycle' <> 'resting' then array[bracket] else '{}' end;
end $$;
