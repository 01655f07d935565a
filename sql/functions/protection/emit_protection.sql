-- Emits to these owners, in this order, that a position is open without its wanted exits (position.unprotected), or, after that, that it has them, is
-- closed, or needs none any more (position.protected). Each event has the exits that its owner wants. Also notifies the followers of the account.
-- Take no lock after it.
create or replace function emit_protection(w wanted_exits, of_type text, owners text[]) returns void
language plpgsql as $$
declare
  told record;
begin
  for told in
    select o.owner, protection_event(w, o.owner) as data
    from unnest(owners) with ordinality as o (owner, n)
    order by o.n
  loop
    perform pg_notify('traded', w.trader); -- who reads after the event must not read what was cached before
    if told.data ->> 'prop_account_id' is not null then
      perform record_account_event(told.data ->> 'prop_account_id', of_type, told.data);
    end if;
    perform emit_event(told.owner, of_type, told.data);
  end loop;
end $$;
