create or replace function ops.retry_delivery(delivery text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := retry_delivery(delivery, session_user, why, ops.given_name(who));
  if verdict <> 'queued' then
    perform ops.note(who, 'retry_delivery', delivery, why, jsonb_build_object('verdict', verdict));
  end if;
  return verdict;
end $$;
comment on function ops.retry_delivery(text, text, text) is
  'Sends one delivery again with its id, from the start of the retry plan. Verdicts: queued, unknown, inactive (its endpoint is). Recorded in '
  'ops.actions.';
