-- Records that `n` were sent now which count against the limit of an upstream per minute: the newest first. What is older than a minute is left
-- out only once it is as many as the rest, so that the write-ahead log has little more than the new ones. Locks the pace.
create or replace function spend_pace(pace text, n integer) returns void
language plpgsql as $$
declare
  fresh constant timestamptz[] := array_fill(now(), array[n]);
begin
  update paces p
  set taken = fresh || case
    when p.taken[cardinality(p.taken)] > now() - 2 * pace_window() then p.taken
    else array(
      select u.at
      from unnest(p.taken) as u (at)
      where u.at > now() - pace_window()
    )
  end
  where p.name = spend_pace.pace;
  if not found then
    insert into paces as p (name, taken)
    values (pace, fresh)
    on conflict (name) do update set taken = fresh || p.taken;
  end if;
end $$;
