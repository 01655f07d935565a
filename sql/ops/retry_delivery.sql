create or replace function ops.retry_delivery(delivery text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := coalesce((select redeliver(d.app, d.id) from webhook_deliveries d where d.id = delivery), 'unknown');
  perform ops.note(who, 'retry_delivery', delivery, why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.retry_delivery(text, text, text) is
  'Sends one delivery again with its id, from the start of the retry plan. Verdicts: queued, unknown, inactive (its endpoint is). Recorded in ops.actions.';
