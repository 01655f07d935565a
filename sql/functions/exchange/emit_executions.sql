-- Emits what executions of a wallet tell: of each order that has changed, each exit that was triggered, each liquidation and each position, to every
-- partner that has enrolled the wallet. The last step of its statement. Locks the event logs of all of them in the order of their names.
create or replace function emit_executions(wallet text, added exchange_fills[], changed uuid[]) returns void
language plpgsql as $$
declare
  triggered jsonb[] := exit_triggers(wallet, added);
  liquidated jsonb[] := liquidations(wallet, added);
  moved jsonb[];
  follower text;
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
  if added is null then
    return;
  end if;
  for follower in
    select e.owner
    from enrollments e
    join partners p on p.id = e.owner
    where e.ex_wallet = wallet
    order by e.owner
  loop
    if triggered is not null then
      perform emit_events(follower, 'exit.triggered', triggered);
    end if;
    if liquidated is not null then
      perform emit_events(follower, 'position.liquidated', liquidated);
    end if;
    moved := position_updates(wallet, added, follower);
    if moved is not null then
      perform emit_events(follower, 'position.updated', moved);
    end if;
  end loop;
end $$;
