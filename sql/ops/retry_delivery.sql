create or replace function ops.retry_delivery(delivery text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(delivery, who, 'retry_delivery', why, retry_delivery(delivery, session_user, why, ops.given_name(who)))
$$;
comment on function ops.retry_delivery(text, text, text) is
  'Sends one delivery again with its id, from the start of the retry plan. Verdicts: queued, unknown, inactive (its endpoint is). Recorded in '
  'ops.actions.';
