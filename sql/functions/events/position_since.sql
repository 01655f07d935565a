-- The position in the log of an app or a partner from which on all events are as new as a time: times rise with positions, so it is found by halving.
-- Behind the end if none is. Where the clock of the server was set back, that far inexact.
create or replace function position_since(of_owner text, moment timestamptz) returns bigint
language plpgsql stable as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  found_at record;
begin
  select min(v.position), max(v.position) + 1 into low, high from events v where v.owner = of_owner;
  while low < high loop
    middle := low + (high - low) / 2;
    select v.position, v.created_at into found_at
    from events v
    where v.owner = of_owner and v.position >= middle
    order by v.position
    limit 1;
    if found_at.created_at >= moment then
      high := middle;
    else
      low := found_at.position + 1;
    end if;
  end loop;
  return coalesce(low, 1);
end $$;
