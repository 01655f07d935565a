-- Sends one delivery of any owner again with its id, from the start of the retry plan, and records the operator. Verdicts:
-- queued | unknown | inactive (its endpoint is).
create or replace function retry_delivery(delivery text, by_operator text, because text, noted jsonb default '{}') returns text
language plpgsql as $$
declare
  verdict text := coalesce((select redeliver(d.owner, d.id) from webhook_deliveries d where d.id = delivery), 'unknown');
begin
  if verdict = 'queued' then
    perform record_action(by_operator, 'retry_delivery', delivery, null, null, because, noted || jsonb_build_object('verdict', verdict));
  end if;
  return verdict;
end $$;
