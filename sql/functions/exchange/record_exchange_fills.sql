-- Records executions of a wallet, each once and in the order given, with what follows from them: how far its ledger is (unless they were streamed:
-- then others may be missing that are read later), its positions, what has become of its resting orders (`ended`: see resting_order_changes), and
-- the events of all that. An order that has ended lets the wallet be read again at once, for its exits. Returns how many executions are new. Locks
-- the trader, the cursor, the resting orders of the wallet, those that had ended before (record_late_fills), then event logs.
create or replace function record_exchange_fills(wallet text, fills jsonb, ended jsonb, is_streamed boolean default false) returns integer
language plpgsql as $$
declare
  added exchange_fills[];
  found record;
  changed uuid[];
begin
  perform lock_trader('exvenue', wallet);
  perform
  from exchange_cursors c
  where c.ex_wallet = wallet
  for update; -- the same executions may be read and streamed
  select array_agg(a order by a.seq) into added
  from add_exchange_fills(wallet, fills) a;
  if not is_streamed then
    perform advance_fill_cursor(wallet, coalesce(to_timestamp(min(f.at_ms) / 1000.0), 'infinity'), to_timestamp(max(f.at_ms) / 1000.0))
    from jsonb_to_recordset(fills) as f (at_ms bigint);
  end if;
  perform move_exchange_positions(wallet, array(select distinct a.coin from unnest(added) a));
  perform state_fees(wallet, array(select distinct a.oid from unnest(added) a));
  perform state_exit_fills(wallet, added);
  select * into found from resting_order_changes(wallet, ended);
  if found.changes is not null then
    perform state_exchange_fills(wallet, found.executed);
    if cardinality(change_orders(found.changes)) > 0 then
      perform make_wallet_due(wallet, 0);
      perform plan_exit_watch(0);
    end if;
    changed := array(select (c.change ->> 'id')::uuid from jsonb_array_elements(found.changes) as c (change));
  end if;
  -- after the locks on resting orders: one that was cancelled meanwhile is not among them
  changed := changed || record_late_fills(wallet, array(select distinct a.oid from unnest(added) a));
  perform emit_executions(wallet, added, changed);
  return coalesce(cardinality(added), 0);
end $$;
