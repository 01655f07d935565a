-- Cancels a user's payout whose transfer was never sent and is not about to be; one that is canceled stays so. Null, or why not:
-- V2_PAYOUT_UNKNOWN | V2_PAYOUT_NOT_PENDING. Locks the payout.
create or replace function cancel_payout(payout text, of_owner text, of_user text) returns text
language plpgsql as $$
declare
  p payouts;
begin
  select * into p from payouts o where o.id = payout and o.owner = of_owner and o.user_id = of_user for no key update;
  if p.id is null then
    return 'V2_PAYOUT_UNKNOWN';
  elsif p.canceled_at is not null then
    return null;
  elsif p.status not in ('pending', 'submitted') or exists (
    select
    from payout_steps s
    where s.payout_id = payout and s.state <> 'unsent'
  ) then
    return 'V2_PAYOUT_NOT_PENDING';
  end if;
  update payouts set canceled_at = now() where id = payout;
  perform settle_payout(payout);
  return null;
end $$;
