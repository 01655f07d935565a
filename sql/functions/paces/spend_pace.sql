-- Records that `n` were sent now of what an upstream takes only so many of in a minute: the newest first, and what is older than a minute is left
-- out only once that is as much again, so that the log has little more than the new ones. Locks the pace.
create or replace function spend_pace(pace text, n integer) returns void
language sql as $$
  insert into paces as p (name, taken)
  values (pace, array_fill(now(), array[n]))
  on conflict (name) do update set taken = excluded.taken || case
    when p.taken[cardinality(p.taken)] > now() - 2 * pace_window() then p.taken
    else array(
      select u.at
      from unnest(p.taken) as u (at)
      where u.at > now() - pace_window()
    )
  end
$$;
