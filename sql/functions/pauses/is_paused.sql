-- Whether a pause of an upstream or an owner holds up an intent, which may reduce a risk (`exits`).
create or replace function is_paused(upstream text, owner text, exits boolean) returns boolean
language sql stable as $$
  select exists (select from pauses p where p.subject in (is_paused.upstream, is_paused.owner) and (p.holds_exits or not exits))
$$;
