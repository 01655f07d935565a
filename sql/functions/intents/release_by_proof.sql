-- Frees the slot of an intent in doubt after a look-up that the upstream has responded to at once: a thread of it was free while every request
-- that may be outstanding there had arrived, so one more can be sent. The intent stays in doubt. Nothing is freed while a slot is free, or if another
-- request was sent since shortly before the look-up or is about to be: it may use that very thread. So the upstream never has more requests than threads,
-- also where each of them takes as long as it may. Nothing is freed either while another transaction has the line (see claim_slot): the next look-up
-- proves it again, and waiting for a settlement that waits for this intent would not end. Locks the line, then the slots.
create or replace function release_by_proof(intent uuid, asked_s double precision) returns void
language plpgsql as $$
declare
  held record;
begin
  select h.upstream, i.sending_at + make_interval(secs => asked_s) - interval '250 milliseconds' as asked_at into held
  from intents i
  join upstream_slots h on h.upstream = i.upstream and h.intent_id = i.id
  where i.id = intent and i.state = 'in_doubt';
  if not found then
    return;
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('slots ' || held.upstream, 0)) then
    return;
  end if;
  if exists (
    select
    from upstream_slots f
    where f.upstream = held.upstream and not f.for_exits and (f.intent_id is null or f.held_until < now())
  ) or exists (
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
  perform release_slot(intent, held.upstream);
end $$;
