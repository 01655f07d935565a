-- Emits `payout.completed` about a payout that became completed, and `payout.failed` about one that has failed, once while it fails again for the
-- same reason, to its app. Body of trigger payouts_emit.
create or replace function emit_payout() returns trigger
language plpgsql as $$
begin
  if new.status = 'completed' then
    perform emit_event(new.owner, 'payout.completed', payout_event(new));
  else
    perform emit_event(new.owner, 'payout.failed', payout_event(new));
  end if;
  return null;
end $$;
