-- Emits an event about a payout of whose transfer another part was reversed, to its app: `payout.updated` if it goes on, else `payout.failed`. Body
-- of trigger payout_reversals_emit.
create or replace function emit_payout_reversal() returns trigger
language plpgsql as $$
begin
  perform emit_event(p.owner, case when p.status in ('failed', 'reversed') then 'payout.failed' else 'payout.updated' end, payout_event(p))
  from payouts p
  where p.id = new.subject and exists (
    select from ledger_lines l where l.transaction_id = new.id and l.account = 'platform' and l.amount > 0
  );
  return null;
end $$;
