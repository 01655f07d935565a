-- Hands a slot to an intent that waits, after a look-up for one in doubt that the upstream has responded to at once: a thread of it was free while every
-- request that may be outstanding there had arrived, so it works on one more than it does beside those in doubt, from now on (upstream_proofs). A slot
-- that is free is handed out, else one that a request in doubt lends (lend_slot). Nothing is proven if another request was sent since shortly before
-- the look-up or is about to be: it may use that very thread. So the upstream never has more requests than threads, also where each of them takes as
-- long as it may. Nothing is proven either while another transaction has the line or takes a free slot (see claim_slot): the next look-up
-- proves it again, and waiting for a settlement that waits for this intent would not end. Locks the line, then slots.
create or replace function release_by_proof(intent uuid, asked_s double precision) returns void
language plpgsql as $$
declare
  held record;
begin
  select i.upstream, i.sending_at + make_interval(secs => asked_s) - interval '250 milliseconds' as asked_at into held
  from intents i
  where i.id = intent and i.state = 'in_doubt' and i.upstream is not null;
  if not found then
    return;
  end if;
  if not exists (
      select
      from intents i
      where i.upstream = held.upstream and i.state = 'queued'
        and not exists (select from upstream_slots h where h.upstream = held.upstream and h.intent_id = i.id)
    )
    or not pg_try_advisory_xact_lock(hashtextextended('slots ' || held.upstream, 0))
    or not pg_try_advisory_xact_lock(hashtextextended('free slots ' || held.upstream, 0))
  then
    return;
  end if;
  if exists (
    select
    from intents o
    where o.state in ('running', 'in_doubt') and o.upstream = held.upstream and o.sending_at > held.asked_at
  ) or exists (
    select
    from upstream_slots u
    join intents o on o.id = u.intent_id
    where u.upstream = held.upstream and (o.sending_at is null or o.sending_at > held.asked_at) -- handed over and about to be sent, or sent since
  ) then
    return;
  end if;
  insert into upstream_proofs as p (upstream, proven)
  select held.upstream, 1 + count(*)
  from upstream_slots u
  join intents o on o.id = u.intent_id
  where u.upstream = held.upstream and not u.is_lent and u.held_until > now() and o.state = 'running'
  on conflict (upstream) do update
  set proven = case when has_lent_slots(held.upstream) then greatest(p.proven, excluded.proven) else excluded.proven end;
  perform assign_slots(
    held.upstream,
    (select max(u.hold_s) from upstream_slots u where u.upstream = held.upstream),
    null,
    coalesce(slots_to_assign(held.upstream), 1)
  );
end $$;
