create or replace view ops.lost_money as
select l.kind, l.processor_id, l.subject_id, l.amount_cents, l.currency, l.status, l.processor_account_id, coalesce(l.user_id, c.user_id) as user_id,
  l.app, l.made_at,
  case
    when l.kind = 'transfer' then 'look whether its receiver''s account has paid it to the bank, else pay it out there: here it counts as paid'
    when l.status = 'succeeded' then 'refund it at the processor, or sell the account again without payment'
    when l.status = 'canceled' then 'none: nothing was paid'
    else 'cancel it at the processor, so that nobody pays it'
  end as safe_action
from lost_money l
left join connect_accounts c on c.processor_account_id = l.processor_account_id
where l.closed_at is null and not exists (select from payouts p where p.processor_transfer_id = l.processor_id)
order by l.made_at;
comment on view ops.lost_money is
  'Payments and transfers at the processor whose rows were lost with a backup, with the safe action. Each until ops.dismiss. Normally empty.';
