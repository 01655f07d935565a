-- Marks the wanted exits of a trader for an immediate comparison, because something has ended or was read that may have changed the existing exits. A
-- comparison in progress has read the earlier state and is overtaken. No effect if none are wanted. Locks the trader, then all its rows in the order
-- of their pairs.
create or replace function exits_may_differ(of_venue text, of_trader text) returns void
language plpgsql as $$
begin
  perform lock_trader(of_venue, of_trader);
  perform
  from wanted_exits w
  where w.venue = of_venue and w.trader = of_trader
  order by w.pair
  for update;
  if not found then
    return;
  end if;
  update wanted_exits w
  set is_changed = true, due_at = now(), version = w.version + 1
  where w.venue = of_venue and w.trader = of_trader and w.due_at is not null and (not w.is_changed or w.due_at > now());
  if found then
    perform plan_comparison(of_venue, 0);
  end if;
end $$;
