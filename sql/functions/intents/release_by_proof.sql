-- Hands a slot to an intent that waits, after a look-up for one in doubt that the upstream has responded to at once: a thread of it was free while every
-- request that may be outstanding there had arrived, so one more can be sent. A slot that is free is handed out, else one of a request in doubt, first
-- its own: it lends it, and counts as one that may still be there until its hold is over. Nothing is handed out if another request was sent since shortly before
-- the look-up or is about to be: it may use that very thread. So the upstream never has more requests than threads, also where each of them takes as
-- long as it may. Nothing is handed out either while another transaction has the line or takes a free slot (see claim_slot): the next look-up
-- proves it again, and waiting for a settlement that waits for this intent would not end. Locks the line, then one slot.
create or replace function release_by_proof(intent uuid, asked_s double precision) returns void
language plpgsql as $$
declare
  held record;
  exit_waits boolean;
  lent record;
begin
  select i.upstream, i.sending_at + make_interval(secs => asked_s) - interval '250 milliseconds' as asked_at into held
  from intents i
  where i.id = intent and i.state = 'in_doubt' and i.upstream is not null;
  if not found then
    return;
  end if;
  select i.is_exit into exit_waits
  from intents i
  where i.upstream = held.upstream and i.state = 'queued'
    and not exists (select from upstream_slots h where h.upstream = held.upstream and h.intent_id = i.id)
  order by i.is_exit desc
  limit 1;
  if not found
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
  if not exists (
    select
    from upstream_slots f
    where f.upstream = held.upstream and (exit_waits or not f.for_exits) and not f.is_lent and (f.intent_id is null or f.held_until < now())
  ) then
    update upstream_slots u
    set intent_id = null, held_until = null
    from (
      select h.slot, h.intent_id, h.held_until
      from upstream_slots h
      join intents o on o.id = h.intent_id
      where h.upstream = held.upstream and not h.is_lent and (exit_waits or not h.for_exits) and o.state not in ('queued', 'running')
      order by h.intent_id = intent desc, h.held_until
      limit 1
      for update of h skip locked
    ) mine
    where u.upstream = held.upstream and u.slot = mine.slot
    returning mine.intent_id, mine.held_until into lent;
    if not found then
      return;
    end if;
    insert into upstream_slots (upstream, slot, intent_id, held_until, is_lent)
    select held.upstream, max(u.slot) + 1, lent.intent_id, lent.held_until, true
    from upstream_slots u
    where u.upstream = held.upstream;
  end if;
  perform assign_slots(held.upstream, (select max(u.hold_s) from upstream_slots u where u.upstream = held.upstream), null, 1);
end $$;
