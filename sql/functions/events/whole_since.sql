-- Since when the log of an app or a partner has every event: a time, or that of the first event after the last one since then that is no longer kept.
-- Positions have no gaps but those that retention leaves.
create or replace function whole_since(of_owner text, moment timestamptz) returns timestamptz
language sql stable as $$
  with kept as (
    select v.position, v.created_at, lag(v.position, 1, 0::bigint) over (order by v.position) as before
    from events v
    where v.owner = of_owner and v.position >= (select position_since(of_owner, moment) - 1)
  ), logged as (
    select coalesce((select l.last_position from event_logs l where l.owner = of_owner), 0) as last_position
  )
  select case
    when coalesce((select max(k.position) from kept k), 0) < l.last_position then greatest(moment, now())
    else greatest(moment, (
      select k.created_at
      from kept k
      where k.before < k.position - 1 and k.created_at >= moment
      order by k.position desc
      limit 1
    ))
  end
  from logged l
$$;
