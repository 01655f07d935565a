-- Hands slots to intents that wait, after a look-up for one in doubt to which the upstream has responded at once. Such a response proves a thread
-- that was free beside the requests that were there: those that had arrived before the look-up and had no response, conclusive or not, until after
-- it. The caller comes a moment later, so that earlier responses are recorded; one that is recorded later still corrects the proof (hand_on_slot).
-- `asked_s`, `left_s` and `answered_s` are seconds since the request of this intent was sent. A request that was sent by `asked_s`, or had left by
-- `left_s`, had arrived when the look-up did; one whose response came at `answered_s` or later was there until the look-up was over. So, beside those
-- in doubt, the upstream may work on one request more than these from now on (upstream_proofs), less the requests in doubt that were sent since
-- shortly before the look-up: they may use that very thread. A free slot is handed out, else one that a request in doubt lends (lend_slot). So the
-- upstream never has more requests than threads, also where each of them takes as long as it may. Nothing is proven while another transaction has the
-- line or takes a free slot (see claim_slot): the next look-up proves it again, and waiting here for a settlement that waits for this intent would
-- not end. Locks the line, then slots.
create or replace function release_by_proof(
  intent uuid, asked_s double precision, left_s double precision, answered_s double precision
) returns void
language plpgsql as $$
declare
  held record;
  spare integer;
begin
  select i.upstream, venue_of(i.kind) as venue, i.sending_at + make_interval(secs => asked_s) as asked_at,
    i.sending_at + make_interval(secs => left_s) as left_at, i.sending_at + make_interval(secs => answered_s) as answered_at into held
  from intents i
  where i.id = intent and i.state = 'in_doubt' and i.upstream is not null;
  if not found then
    return;
  end if;
  if not has_line(held.upstream)
    or not pg_try_advisory_xact_lock(hashtextextended('slots ' || held.upstream, 0))
    or not pg_try_advisory_xact_lock(hashtextextended('free slots ' || held.upstream, 0))
  then
    return;
  end if;
  insert into upstream_proofs as p (upstream, answered_at, proven)
  select held.upstream, held.answered_at, greatest(0, 1 + count(*) filter (where o.state = 'running' and o.has_left)
    - count(*) filter (where o.state not in ('queued', 'running') and o.sending_at > held.asked_at) + (
      select count(*)
      from intent_kinds k
      join intents e on e.kind = k.kind and e.settled_at > held.answered_at
      where k.venue = held.venue and e.upstream = held.upstream and e.responded_at >= held.answered_at
        and has_left(e, held.left_at, held.asked_at)
    ) + (
      select count(*)
      from intents d
      where d.phase = 'in_doubt' and d.upstream = held.upstream and d.responded_at >= held.answered_at and has_left(d, held.left_at, held.asked_at)
    ))
  from upstream_slots u
  cross join lateral (
    select i.state, i.sending_at, has_left(i, held.left_at, held.asked_at) as has_left
    from intents i
    where i.id = u.intent_id
    limit 1
  ) o
  where u.upstream = held.upstream and u.held_until > now()
  on conflict (upstream) do update
  set answered_at = greatest(p.answered_at, excluded.answered_at),
    proven = case when has_lent_slots(held.upstream) then greatest(p.proven, excluded.proven) else excluded.proven end;
  select coalesce(slots_to_assign(held.upstream), p.proven - count(*) filter (where o.state in ('queued', 'running')))::integer into spare
  from upstream_proofs p
  left join upstream_slots u on u.upstream = p.upstream and u.held_until > now()
  left join lateral (
    select i.state
    from intents i
    where i.id = u.intent_id
    limit 1
  ) o on true
  where p.upstream = held.upstream
  group by p.upstream;
  perform assign_slots(
    held.upstream,
    (select max(u.hold_s) from upstream_slots u where u.upstream = held.upstream),
    null,
    spare
  );
end $$;
