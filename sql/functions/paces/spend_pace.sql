-- Records that `n` were sent now of what an upstream takes only so many of in a minute. Locks the pace.
create or replace function spend_pace(pace text, n integer) returns void
language sql as $$
  insert into paces as p (name, taken)
  values (pace, array_fill(now(), array[n]))
  on conflict (name) do update set taken = excluded.taken || array(
    select u.at
    from unnest(p.taken) as u (at)
    where u.at > now() - pace_window()
  )
$$;
