-- Who is notified about an entry of wanted exits: at the network the present owner of the trader; for a wallet, which partners may share, the owner
-- who wanted it.
create or replace function told_of_exits(w wanted_exits, entry jsonb) returns text
language sql stable as $$
  select coalesce((select s.owner from subaccounts s where s.synthetic_hotkey = w.trader), entry ->> 'owner', w.owner)
$$;
