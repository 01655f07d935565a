-- Ends the creation of a user's account at the processor. A user keeps the account that was recorded first. False: the claim is lost, and
-- nothing was written.
create or replace function record_connect_account(intent uuid, held_fence integer, said jsonb, made jsonb) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  insert into connect_accounts (
    id, owner, user_id, processor_account_id, country, is_abroad, payouts_enabled, charges_enabled, details_submitted
  )
  select m.id, m.owner, m.user_id, m.processor_account_id, m.country, m.is_abroad, m.payouts_enabled, m.charges_enabled, m.details_submitted
  from jsonb_to_record(made) as m (
    id text, owner text, user_id text, processor_account_id text, country text, is_abroad boolean, payouts_enabled boolean, charges_enabled boolean,
    details_submitted boolean
  )
  on conflict do nothing;
  perform take_up_events(made ->> 'processor_account_id');
end $$;
