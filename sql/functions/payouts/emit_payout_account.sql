-- Emits an event about a payout account that was opened, became able or unable to receive payouts, or was detached. Body of trigger
-- connect_accounts_emit.
create or replace function emit_payout_account() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and payout_account_state(new) = payout_account_state(old) and new.payouts_enabled = old.payouts_enabled
    and new.details_submitted = old.details_submitted then
    return null;
  end if;
  perform emit_event(new.owner, 'payout_account.updated', jsonb_build_object(
    'id', new.id,
    'user_id', new.user_id,
    'processor_account_id', new.processor_account_id,
    'status', payout_account_state(new),
    'payouts_enabled', payout_account_state(new) = 'active'
  ));
  return null;
end $$;
