create or replace view ops.failed_accounts as
select *
from ops.list_failed_accounts()
order by created_at desc;
comment on view ops.failed_accounts is
  'Accounts that could not be created and were not abandoned, newest first, with the safe action: ops.provision_account, ops.attach_account, '
  'ops.abandon_account, or a refund.';
