-- Emits to its app `payout.completed` when a payout was completed, and `payout.failed` when it has failed, once for repeated failures of the same
-- reason. Body of trigger payouts_emit.
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
