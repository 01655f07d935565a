-- Emits what follows from executions of a wallet: for each order that has changed, each exit that was triggered, each liquidation and each position,
-- to every partner that had enrolled the wallet by then, a minute of clock skew included. What was read before them is no longer read from a cache.
-- The last step of its statement. Locks the event logs of all of them in the order of their names.
create or replace function emit_executions(wallet text, added exchange_fills[], changed uuid[]) returns void
language plpgsql as $$
declare
  follower record;
  known exchange_fills[];
  triggered jsonb[];
  liquidated jsonb[];
  moved jsonb[];
begin
  perform
  from event_logs l
  where l.owner in (
    select e.owner from enrollments e where e.ex_wallet = wallet
    union
    select o.owner from orders o where o.id = any(changed)
  )
  order by l.owner
  for update;
  perform emit_ended('{}', changed);
  if cardinality(added) > 0 then
    perform pg_notify('traded', wallet);
  end if;
  for follower in
    select *
    from wallet_followers(wallet)
  loop
    known := array(select a from unnest(added) a where a.filled_at >= follower.enrolled_at - interval '1 minute' order by a.seq);
    triggered := exit_triggers(wallet, known);
    if triggered is not null then
      perform emit_events(follower.owner, 'exit.triggered', triggered);
    end if;
    liquidated := liquidations(wallet, known);
    if liquidated is not null then
      perform emit_events(follower.owner, 'position.liquidated', liquidated);
    end if;
    moved := position_updates(wallet, known, follower.owner);
    if moved is not null then
      perform emit_events(follower.owner, 'position.updated', moved);
    end if;
  end loop;
end $$;
