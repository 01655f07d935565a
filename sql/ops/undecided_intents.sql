create or replace view ops.undecided_intents as
select i.id as intent_id, i.kind, i.owner, i.outcome -> 'problem' ->> 'code' as problem_code, i.sending_at, i.settled_at,
  case
    when i.kind in ('payouts/submit', 'payouts/pay', 'payouts/reverse') then 'look up the payout (ops.stranded_payouts)'
    when i.kind = 'payments/refund' then 'look at the processor; then refund (ops.paid_without_account)'
    when i.kind = 'accounts/provision' and i.request ? 'prop_account_id' then 'look at the network: attach what was made (ops.failed_accounts)'
    when i.kind = 'accounts/provision' then 'look at the network: attach what was made (ops.attach_registration)'
    else 'look at the upstream, and tell its owner: a new request is a new write; then ops.dismiss'
  end as safe_action
from intents i
where i.outcome -> 'problem' ->> 'effect' = 'unknown'
  and not exists (select from subaccounts s where s.intent_id = i.id) -- attached
  and (i.kind <> 'payments/refund' or exists ( -- refunded since
    select
    from payments p
    where p.id = i.request ->> 'payment_id' and p.refund_intent_id = i.id and refund_state(p.id) = 'unknown'
  ))
  and (i.kind <> 'accounts/provision' or not exists ( -- given up, or made by another one
    select
    from prop_accounts a
    where a.id = i.request ->> 'prop_account_id' and (a.abandoned_at is not null or a.intent_id <> i.id)
  ))
  and not exists (
    select
    from operator_actions d
    where coalesce(d.subject, d.prop_account_id, d.payment_id) = i.id::text and d.action = 'dismiss' and d.detail ->> 'verdict' = 'done'
  )
order by i.created_at;
comment on view ops.undecided_intents is
  'Intents that ended although nothing proves their effect, oldest first, with the safe action. Their effect is unknown. Each until that is done, or '
  'ops.dismiss. Normally empty.';
