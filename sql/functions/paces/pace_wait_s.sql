-- Seconds until one more may be sent to an upstream that takes `most` in a minute, with `ahead` others before it. 0: at once. See pace_window.
-- Where the clock of the server was set back, what was sent at a later time than now is over.
create or replace function pace_wait_s(pace text, most integer, ahead bigint) returns double precision
language sql stable as $$
  select case
    when f.used + ahead < most then 0
    else greatest(extract(epoch from f.latest[least(f.used, f.used + ahead - most + 1)] - now() + pace_window()), 1)
  end
  from (
    select coalesce(array_agg(u.at order by u.at), '{}') as latest, count(*) as used
    from paces p
    cross join lateral unnest(p.taken) as u (at)
    where p.name = pace and u.at between now() - pace_window() and now() + pace_window()
  ) f
$$;
