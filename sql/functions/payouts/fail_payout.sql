-- Fails a payout, once. A completed one can still fail, because the bank may return it.
create or replace function fail_payout(payout text, reason text, is_returned boolean) returns boolean
language plpgsql as $$
declare
  p payouts;
begin
  update payouts
  set returned_at = now()
  where id = payout and is_returned and returned_at is null;
  update payouts
  set status = 'failed', failure_reason = reason
  where id = payout and status <> 'failed'
  returning * into p;
  if p.id is null then
    return false;
  end if;
  perform emit_event(p.owner, 'payout.failed', payout_event(p));
  return true;
end $$;
