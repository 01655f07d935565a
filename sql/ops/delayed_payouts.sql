create or replace view ops.delayed_payouts as
select p.id as payout_id, p.owner as app_id, p.user_id, p.prop_account_id, p.amount_cents, p.currency, p.delayed_for, p.delayed_since
from payouts p
where p.delayed_since is not null
order by p.delayed_since;
comment on view ops.delayed_payouts is
  'Payouts that wait for the platform''s balance at the processor, its key, or the processor (delayed_for), oldest first. They go on by themselves.';
