-- The state of a payout that its user reads: delayed goes before the status of its steps.
create or replace function payout_state(p payouts) returns text
language sql stable as $$
  select case when p.delayed_since is not null then 'delayed' else p.status end
$$;
