-- Notifies the followers of an account of an order verb that has ended, and plans the next poll of its positions; of a verb of a partner it
-- writes the partner's event. Body of trigger intents_emit_verb_ended. Rereads only the needed columns of the intent. Locks the account's
-- event log, then the job of the poll; or the partners' event logs.
create or replace function emit_verb_ended() returns trigger
language plpgsql as $$
declare
  about text := coalesce(new.outcome -> 'result' ->> 'order_uuid', new.request ->> 'target', new.id::text);
begin
  if new.request ? 'prop_account_id' then
    perform record_account_event(new.request ->> 'prop_account_id', 'order', order_event(split_part(new.kind, '/', 2), about::uuid, new));
    perform plan_watch(new.request ->> 'prop_account_id', 0);
  else
    perform emit_partner_verbs();
  end if;
  return null;
end $$;
