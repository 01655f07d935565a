-- Internal to the kit: the intent before another one in its lane. Null if it is that one's turn.
create or replace function ops.waits_behind(i intents) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select nullif(coalesce(
    (
      select h.id
      from lanes l
      join intents h on h.id = l.head and h.state in ('queued', 'running')
      where l.name = i.lane and turns_of(i.lane, h.owner) is not distinct from turns_of(i.lane, i.owner)
    ),
    (
      select f.id
      from intents f
      where f.lane = i.lane and f.phase = 'pending' and turns_of(f.lane, f.owner) is not distinct from turns_of(i.lane, i.owner)
      order by f.has_turn desc, f.position
      limit 1
    )
  ), i.id)
  where i.lane is not null and i.state in ('queued', 'running') and not i.has_turn
$$;
comment on function ops.waits_behind is 'Internal to the kit.';
