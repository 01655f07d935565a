-- Records which exits an accepted command wants of the position in a pair, and plans a comparison with those that live. `exits` are the
-- entries of the order `of_order`: [{take_profit, stop_loss, trailing_stop, size, waits}], decimals as text, `waits` until that order is
-- filled; empty if it wants none any more. They replace its earlier ones, and of every order that is filled the legs `replaced` (take_profit,
-- stop_loss, trailing_stop). Commands count in the order of their acceptance: what a later one has decided stands. Without an intent, a read has
-- shown what became of the order, and its entries count as those of its newest command. Locks the row of the pair.
create or replace function want_exits(
  of_venue text, of_owner text, of_trader text, of_pair text, of_order uuid, by_intent uuid, exits jsonb, replaced text[] default '{}'
) returns void
language plpgsql as $$
declare
  is_whole boolean := replaced @> '{take_profit,stop_loss}';
  row_now wanted_exits;
  own_version bigint;
  command bigint := (select i.position from intents i where i.id = coalesce(by_intent, of_order));
begin
  select * into row_now
  from wanted_exits w
  where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair
  for update;
  if not found then
    if exits = '[]' and not is_whole then
      return;
    end if;
    insert into wanted_exits (venue, trader, pair, owner) values (of_venue, of_trader, of_pair, of_owner) on conflict do nothing;
    select * into strict row_now
    from wanted_exits w
    where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair
    for update;
  end if;

  select max((e.entry ->> 'version')::bigint) into own_version
  from jsonb_array_elements(row_now.wanted) as e (entry)
  where e.entry ->> 'order_uuid' = of_order::text;
  command := case when by_intent is null then coalesce(own_version, command, 0) else coalesce(command, 0) end;
  if own_version > command or (own_version is null or is_whole) and command < row_now.decided_by then
    return;
  end if;

  update wanted_exits w
  set owner = of_owner,
    wanted = (
      select coalesce(jsonb_agg(e.entry order by e.n), '[]')
      from (
        select jsonb_build_object('owner', row_now.owner) || l.entry as entry, k.n -- those of an earlier version name none
        from jsonb_array_elements(row_now.wanted) with ordinality as k (entry, n)
        cross join lateral without_legs(k.entry, case
          when (k.entry ->> 'waits')::boolean is not true and (k.entry ->> 'version')::bigint <= command then replaced
          else '{}'
        end) as l (entry)
        where k.entry ->> 'order_uuid' <> of_order::text and l.entry is not null
        union all
        select a.entry || jsonb_build_object('order_uuid', of_order, 'version', command, 'owner', of_owner), 1000 + a.n
        from jsonb_array_elements(exits) with ordinality as a (entry, n)
      ) e
    ),
    decided_by = case when is_whole then command else w.decided_by end
  where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair;
  update wanted_exits w
  set version = w.version + 1, wanted_at = now(), is_changed = true, due_at = case when w.wanted <> '[]' or w.missing_since is not null then now() end
  where w.venue = of_venue and w.trader = of_trader and w.pair = of_pair;
  perform plan_comparison(of_venue, 0);
end $$;
