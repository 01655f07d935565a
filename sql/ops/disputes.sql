create or replace view ops.disputes as
select l.processor_id as dispute_id, l.payment_id, p.owner, p.user_id, u.email, a.id as prop_account_id, a.status as account_status,
  l.status, l.amount_cents, coalesce(p.received_currency, p.currency) as currency, l.made_at, l.said_at,
  coalesce(l.status in ('needs_response', 'warning_needs_response', 'appeal_needs_response'), false) as needs_response,
  l.is_live and coalesce(l.status, '') not like 'warning%' as is_money_gone
from payment_losses l
join payments p on p.id = l.payment_id
join users u on u.id = p.user_id
left join prop_accounts a on a.payment_id = p.id
where l.kind = 'dispute'
order by needs_response desc, coalesce(l.made_at, l.said_at) desc, l.processor_id;
comment on view ops.disputes is
  'Disputes of payments and inquiries, those that need a response first. They are answered at the processor; what it decides arrives as an event.';
