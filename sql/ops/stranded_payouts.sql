create or replace view ops.stranded_payouts as
select *
from ops.list_stranded_payouts();
comment on view ops.stranded_payouts is
  'Payouts whose money is neither with the platform nor on its way to the trader''s bank, also after a rejected reversal, or of which that is '
  'unknown, and those that the bank has twice, because it kept one that was sent again; with the safe action. Normally empty.';
