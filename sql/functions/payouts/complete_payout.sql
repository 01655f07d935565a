-- Completes a payout, once. A failed payout stays failed: the processor may report paid before failed.
create or replace function complete_payout(payout text) returns boolean
language plpgsql as $$
declare
  p payouts;
begin
  update payouts
  set status = 'completed', completed_at = now()
  where id = payout and status in ('pending', 'submitted')
  returning * into p;
  if p.id is null then
    return false;
  end if;
  perform emit_event(p.owner, 'payout.completed', payout_event(p));
  return true;
end $$;
