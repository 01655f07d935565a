create or replace view ops.stranded_payouts as
select *
from ops.list_stranded_payouts();
comment on view ops.stranded_payouts is
  'Payouts whose money is neither with the platform nor on its way to the trader''s bank (also after a rejected reversal), or for which this is '
  'unknown, and payouts that the bank received twice, because it kept one that was sent again; with the safe action. Normally empty.';
