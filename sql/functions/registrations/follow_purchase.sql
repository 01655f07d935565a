-- Changes a registration with its purchase. Called by begin_sending, retry_intent and follow_ending. The key is deleted in the commit that
-- stores what it signed, and at every end, so no settled purchase leaves a key. The caller holds the intent. Locks the registration and its
-- key.
create or replace function follow_purchase(purchase uuid) returns void
language plpgsql as $$
declare
  i intents;
begin
  select * into strict i from intents where id = purchase;
  if i.sending_at is not null or i.settled_at is not null then
    delete from registration_keys where registration_id = i.id;
  end if;
  update registrations r
  set status = case
        when i.state = 'succeeded' then i.outcome -> 'result' ->> 'status'
        when i.state in ('failed', 'expired') then 'failed'
        when i.sending_at is not null then 'processing'
        else 'pending'
      end,
    tx_hash = coalesce(r.tx_hash, i.outcome -> 'result' ->> 'tx_hash'),
    paid_at = coalesce(r.paid_at, case when i.outcome -> 'result' ->> 'tx_hash' is not null then now() end),
    problem = case when i.state in ('failed', 'expired') then i.outcome -> 'problem' ->> 'code' end,
    message = coalesce(i.outcome -> 'result' ->> 'message', i.outcome -> 'problem' ->> 'message'),
    updated_at = now()
  where r.id = i.id;
end $$;
