-- Emits an event to the app of a payout when another part of its transfer was reversed: `payout.updated` if the payout goes on, else `payout.failed`.
-- Body of trigger payout_reversals_emit.
create or replace function emit_payout_reversal() returns trigger
language plpgsql as $$
declare
  p payouts;
begin
  if not exists (select from ledger_lines l where l.transaction_id = new.id and l.account = 'platform' and l.amount > 0) then
    return null; -- it was transferred
  end if;
  select * into strict p from payouts where id = new.subject;
  if p.status in ('failed', 'reversed') then
    perform emit_event(p.owner, 'payout.failed', payout_event(p));
  else
    perform emit_event(p.owner, 'payout.updated', payout_event(p));
  end if;
  return null;
end $$;
