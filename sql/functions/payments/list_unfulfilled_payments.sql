-- Payments without a refund and without an account that is or once was tradeable. One row each, with the safe action.
create or replace function list_unfulfilled_payments(minutes double precision) returns table (
  payment_id text, owner text, user_id text, processor_payment_intent_id text, amount_cents integer, currency text, paid_at timestamptz,
  prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text
)
language sql stable as $$
  with owed as (
    select a.payment_id
    from prop_accounts a
    where a.payment_id is not null and a.status in ('provisioning', 'subaccount_failed')
    union all
    select p.id
    from payments p
    where p.amount_differs
  )
  select p.id, p.owner, p.user_id, p.processor_payment_intent_id, p.amount_cents, p.currency, p.paid_at,
    a.id, a.status, a.failure_reason, i.id, i.state,
    case
      when a.id is null then 'compare the amount received, then refund'
      when a.status = 'provisioning' then 'wait: it is being created or reconciled'
      when a.synthetic_hotkey is not null then 'refund: the network created it and then failed it'
      when is_provably_unmade(i.id) then 'provision again, or refund'
      else 'look at the network: attach what was made, or refund'
    end
  from owed
  join payments p on p.id = owed.payment_id
  left join prop_accounts a on a.payment_id = p.id
  left join intents i on i.id = a.intent_id
  where p.paid_at < now() - make_interval(secs => minutes * 60)
    and p.refunded_at is null
    and p.disputed_at is null
  order by p.paid_at
$$;
