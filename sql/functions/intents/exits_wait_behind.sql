-- Whether exits wait in a lane for an intent at this position of it, which is then as urgent as they are (decision 089).
create or replace function exits_wait_behind(of_lane text, at_position bigint) returns boolean
language sql stable as $$
  select exists (
    select
    from intents e
    where e.lane = of_lane and e.phase = 'pending' and e.position > at_position and e.is_exit
      and (turns_of(e.lane, e.owner) is null or e.owner = (
        select i.owner from intents i where i.lane = of_lane and i.phase = 'pending' and i.position = at_position
      ))
  )
$$;
