create or replace view ops.ledger_differences as
select c.id as subject, c.owner as app_id, c.user_id, c.processor_account_id as processor_object, 'payout_account' as place, r.currency, r.posted,
  r.shown, r.differs_since as since,
  case
    when r.shown < r.posted then 'look at the account at the processor for what took money from it, and pay nothing out to it before'
    else 'look at the account at the processor for what came back to it: a payout that the bank returned can be submitted again, or reversed'
  end as safe_action
from balance_readings r
join connect_accounts c on c.id = r.account_id
where r.differs_since is not null
union all
select d.subject, coalesce(p.owner, o.owner), coalesce(p.user_id, o.user_id), coalesce(p.processor_payment_intent_id, o.processor_transfer_id),
  'platform', d.currency, d.posted, d.shown, d.since,
  case
    when p.id is null then 'look at the transfer and its reversals at the processor, and let it send their events again'
    else 'look at the payment, its refunds and disputes at the processor, and let it send their events again'
  end
from balance_differences d
left join payments p on p.id = d.subject
left join payouts o on o.id = d.subject;
comment on view ops.ledger_differences is
  'Where the ledger (posted) and the processor (shown) differ, in smallest units, at a payout account or in the platform''s balance of a payment '
  'or payout, with the safe action. Normally empty.';
