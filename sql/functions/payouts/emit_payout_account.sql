-- Emits an event about a payout account that was opened, became able or unable to receive payouts, or was detached. Body of trigger
-- connect_accounts_emit.
create or replace function emit_payout_account() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.payouts_enabled, new.details_submitted, new.detached_at is null)
    is not distinct from (old.payouts_enabled, old.details_submitted, old.detached_at is null) then
    return null;
  end if;
  perform emit_event(new.owner, 'payout_account.updated', jsonb_build_object(
    'id', new.id,
    'user_id', new.user_id,
    'processor_account_id', new.processor_account_id,
    'status', payout_account_state(new),
    'payouts_enabled', new.payouts_enabled and new.detached_at is null
  ));
  return null;
end $$;
