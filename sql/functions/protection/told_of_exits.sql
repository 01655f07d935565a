-- Who is told of an entry of wanted exits: of the network, who has the trader now; of a wallet, which partners may share, who wanted it.
create or replace function told_of_exits(w wanted_exits, entry jsonb) returns text
language sql stable as $$
  select coalesce((select s.owner from subaccounts s where s.synthetic_hotkey = w.trader), entry ->> 'owner', w.owner)
$$;
