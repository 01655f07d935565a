create or replace view ops.paid_without_account as
select *
from ops.list_paid_without_account(10);
comment on view ops.paid_without_account is
  'Payments older than 10 minutes that were neither fulfilled nor refunded, with the safe action. Normally empty.';
