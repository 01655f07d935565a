-- Internal to the kit: the oldest 1,000 open intents of a verb, of a partner or app, in a state; null: of any.
create or replace function ops.open_intents(kind text, owner text, state text) returns table (id uuid, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select i.id, i.created_at
  from intents i
  where (i.phase = 'pending' or i.phase = 'in_doubt')
    and (open_intents.kind is null or i.kind = open_intents.kind)
    and (open_intents.owner is null or i.owner = open_intents.owner)
    and (open_intents.state is null or i.state = open_intents.state)
  order by i.created_at, i.id
  limit 1000
$$;
comment on function ops.open_intents is 'Internal to the kit.';
