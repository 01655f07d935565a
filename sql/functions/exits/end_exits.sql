-- Records that a command ended every exit of a wallet in a pair, or in all pairs (*): nothing is wanted there any more but what an order wants that
-- is not filled yet. A command that was accepted later has precedence. Safe to repeat. Locks the trader (lock_trader), then the plans
-- of the pair, then its wanted exits.
create or replace function end_exits(wallet text, of_pair text, by_intent uuid) returns void
language plpgsql as $$
begin
  perform lock_trader('exvenue', wallet);
  perform decide_exits(wallet, of_pair, '{"tp": null, "sl": null}', by_intent);
  perform want_exits(w.venue, w.owner, w.trader, w.pair, by_intent, by_intent, '[]', array['take_profit', 'stop_loss', 'trailing_stop'])
  from (
    select *
    from wanted_exits e
    where e.venue = 'exvenue' and e.trader = wallet and (e.pair = of_pair or of_pair = '*')
    order by e.pair
  ) w;
end $$;
