-- Throws for a verb, an owner or a state that no intent can have: with one that is misspelt, a filter would fit nothing.
create or replace function ops.require_filter(kind text, owner text, state text) returns void
language plpgsql stable as $$
begin
  if require_filter.state not in ('queued', 'running', 'in_doubt') then
    raise exception 'no state %: name queued, running or in_doubt, or null for any', state using errcode = 'invalid_parameter_value';
  elsif require_filter.owner is not null and require_filter.owner not in (select p.id from partners p union all select a.id from apps a) then
    raise exception 'no owner %: name a partner or app by its id, or null for any', owner using errcode = 'invalid_parameter_value';
  elsif require_filter.kind is not null and require_filter.kind not in (
    select k.kind from intent_kinds k
    union all
    select i.kind from intents i where i.phase = 'pending' or i.phase = 'in_doubt'
  ) then
    raise exception 'no verb %: name %, or null for any', kind, (select string_agg(k.kind, ', ' order by k.kind) from intent_kinds k)
      using errcode = 'invalid_parameter_value';
  end if;
end $$;
comment on function ops.require_filter is 'Internal to the kit.';
