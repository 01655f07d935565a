-- Accepts the submission of a pending payout. Of several submissions exactly one is accepted, and its intent is the result of all. Null:
-- there is no such payout.
-- Item: as for accept_intents.
create or replace function submit_payout(payout text, of_owner text, of_user text, item jsonb) returns uuid
language plpgsql as $$
declare
  p payouts;
begin
  select * into p from payouts where id = payout and owner = of_owner and user_id = of_user for update;
  if p.id is null or p.submit_intent_id is not null then
    return p.submit_intent_id;
  end if;
  update payouts set submit_intent_id = (item ->> 'id')::uuid where id = payout;
  perform accept_intents(jsonb_build_array(item));
  return (item ->> 'id')::uuid;
end $$;
