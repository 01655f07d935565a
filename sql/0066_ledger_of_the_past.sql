-- What payments and payouts had moved before the ledger, dated by the times in their rows. What payout accounts received is read from the processor
-- later, so that what left them is overdrawn until then.
create temporary table past on commit drop as
select f.*
from (
  select 'payment' as kind, p.id as subject, p.owner, coalesce(p.status_at, p.created_at) as at, 'platform' as debit, 'receipts' as credit,
    null as holder, coalesce(p.received_currency, p.currency) as currency, p.received_cents as amount
  from payments p
  union all
  select 'refund', p.id, p.owner, coalesce(p.refunded_at, p.created_at), 'refunds', 'platform', null, coalesce(p.received_currency, p.currency),
    p.refunded_cents
  from payments p
  union all
  select 'dispute', p.id, p.owner, coalesce(l.made_at, l.said_at), 'disputes', 'platform', null, coalesce(p.received_currency, p.currency),
    l.amount_cents
  from payment_losses l
  join payments p on p.id = l.payment_id
  where l.kind = 'dispute' and l.is_live and coalesce(l.status, '') not like 'warning%'
  union all
  select 'reservation', p.id, p.owner, p.requested_at, 'earned', 'owed', null, p.currency, coalesce(p.reserved_cents, p.amount_cents)
  from payouts p
  union all
  select 'transfer', p.id, p.owner, coalesce(p.submitted_at, p.requested_at), 'exchange', 'platform', null, p.currency,
    p.transferred_cents - p.reversed_cents
  from payouts p
  union all
  select 'bank', p.id, p.owner, coalesce(s.ended_at, s.created_at), case s.state when 'done' then 'bank' else 'in_transit' end, 'overdrawn',
    c.processor_account_id, s.currency, s.amount_cents
  from payout_steps s
  join payouts p on p.id = s.payout_id
  join connect_accounts c on c.id = p.connect_account_id
  where s.step = 'payout' and s.state in ('sent', 'done') and s.processor_id is not null
) f
where f.amount > 0;

insert into ledger_accounts (kind, holder, currency)
select distinct a.kind, case when a.kind in ('overdrawn', 'in_transit', 'bank') then p.holder end, p.currency
from past p
cross join lateral (values (p.debit), (p.credit)) as a (kind);

with moved as (
  insert into ledger_transactions (kind, subject, owner, said_at)
  select distinct on (p.kind, p.subject) p.kind, p.subject, p.owner, p.at
  from past p
  order by p.kind, p.subject, p.at
  returning id, kind, subject
)
insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
select m.id, d.id, c.id, p.currency, p.amount
from past p
join moved m on m.kind = p.kind and m.subject = p.subject
join ledger_accounts d on d.kind = p.debit and d.currency = p.currency
  and d.holder is not distinct from case when d.kind in ('in_transit', 'bank') then p.holder end
join ledger_accounts c on c.kind = p.credit and c.currency = p.currency
  and c.holder is not distinct from case when c.kind = 'overdrawn' then p.holder end;
