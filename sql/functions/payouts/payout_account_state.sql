-- The state of a payout account: detached | active (it can be paid) | restricted (the processor needs something) | pending (its user has to finish
-- it).
create or replace function payout_account_state(c connect_accounts) returns text
language sql immutable as $$
  select case
    when c.detached_at is not null then 'detached'
    when c.payouts_enabled and c.transfers_enabled then 'active'
    when c.details_submitted then 'restricted'
    else 'pending'
  end
$$;
