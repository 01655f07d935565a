-- Notifies the followers of an account of an order verb that has ended, and plans the next poll of its positions. Body of trigger
-- intents_emit_verb_ended. Rereads only the needed columns of the intent. Locks the account's event log, then the job of the poll.
create or replace function emit_verb_ended() returns trigger
language plpgsql as $$
declare
  about uuid := coalesce(new.outcome -> 'result' ->> 'order_uuid', new.request ->> 'target', new.id::text)::uuid;
begin
  perform record_account_event(new.request ->> 'prop_account_id', 'order', order_event(split_part(new.kind, '/', 2), about, new));
  perform plan_watch(new.request ->> 'prop_account_id', 0);
  return null;
end $$;
