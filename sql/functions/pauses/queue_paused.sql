-- Brings forward the jobs of the intents that wait for the end of a pause, and of intents before them in their lanes that another pause holds, since
-- these may have to give way. What is still paused waits again. One that is executed at this moment waits for the caller, who holds the pause, and
-- then goes on. Returns how many.
create or replace function queue_paused(of_subject text) returns integer
language sql as $$
  select hurry_unsent(array(
    select i.id
    from intents i
    join intent_kinds k on k.kind = i.kind
    where i.phase = 'pending' and (of_subject in (k.upstream, i.owner) or exists (
      select
      from intents e
      where e.lane = i.lane and e.phase = 'pending' and e.owner = of_subject and e.position > i.position
    ))
  ), false)
$$;
