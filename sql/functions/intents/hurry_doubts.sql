-- Brings the look-ups forward of the intents in doubt that may be at an upstream, if an intent waits there for a slot: each look-up may prove a free
-- thread (see release_by_proof). One of them is due every 50 ms on average. Returns after how many seconds each of them is due again; null if nobody
-- waits.
create or replace function hurry_doubts(at_upstream text) returns double precision
language plpgsql as $$
declare
  every constant interval := interval '50 milliseconds';
  doubts uuid[];
  late record;
begin
  select array_agg(h.id) into doubts
  from upstream_slots u
  cross join lateral (
    select d.id, d.state
    from intents d
    where d.id = u.intent_id
    limit 1
  ) h
  where u.upstream = at_upstream and u.held_until > now() and h.state = 'in_doubt';
  if doubts is null or not has_line(at_upstream) then
    return null;
  end if;
  for late in
    select j.id
    from unnest(doubts) as d (id)
    cross join lateral (
      select q.id
      from queue_jobs q
      where q.key = 'doubt ' || d.id and q.run_at > now() + every * cardinality(doubts)
      limit 1
    ) j
  loop
    perform graphile_worker.reschedule_jobs(array[late.id], now() + every * (cardinality(doubts) * random()));
  end loop;
  return extract(epoch from every * cardinality(doubts));
end $$;
