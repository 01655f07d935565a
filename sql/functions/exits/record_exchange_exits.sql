-- Records the exits that a command has placed for the position of a wallet in a pair: `exits` are the entries that it wants (see want_exits),
-- instead of the legs `replaced` of all others. Submits its follow-up intents (a batch as for accept_intents), which cancel what it has replaced.
-- Closes no order. Locks the wallet's lane, its plans, then the row of wanted exits.
create or replace function record_exchange_exits(
  by_intent uuid, of_owner text, wallet text, of_pair text, exits jsonb, replaced text[], follow_ups jsonb
) returns uuid[]
language plpgsql as $$
begin
  perform accept_intents(follow_ups);
  update exit_plans p
  set replaced = '{}'
  where p.trader = wallet and p.pair = of_pair and p.intent_id = by_intent;
  perform want_exits('exvenue', of_owner, wallet, of_pair, by_intent, by_intent, exits, replaced);
  return '{}';
end $$;
