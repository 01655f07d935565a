-- Payments of which money is kept without an account that trades or has had its challenge, for any cause. One row each, with the safe action.
-- Payments with kept money are selected first, each by its key: a join would read all payments for a few.
create or replace function ops.list_paid_without_account(minutes double precision default 10) returns table (
  payment_id text, app_id text, user_id text, amount_cents integer, currency text, paid_at timestamptz,
  prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text, held_cents integer,
  held_currency text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with kept as materialized (
    select a.payment_id as id
    from prop_accounts a
    where a.payment_id is not null and a.status in ('provisioning', 'subaccount_failed')
    union
    select p.id
    from payments p
    where p.amount_differs
    union
    select p.id
    from payments p
    where p.stopped_for is not null and p.returned_at is null
    union
    select p.id
    from payments p
    where p.paid_at is null and p.received_currency is not null
  )
  select p.id, p.owner, p.user_id, p.amount_cents, p.currency, coalesce(p.paid_at, p.created_at),
    a.id, a.status, a.failure_reason, i.id, i.state,
    case
      when refund_state(p.id) = 'under_way' then 'wait: a refund is under way'
      when refund_state(p.id) = 'unknown' then 'look at the processor: the effect of a refund is unknown; then refund'
      when a.id is null then 'refund: another amount or currency was received than requested'
      when a.status = 'eliminated' then 'reinstate, or refund the rest'
      when p.stopped_for is not null or a.abandoned_at is not null then 'refund the rest'
      when a.status = 'provisioning' then 'wait: it is being created or reconciled'
      when a.synthetic_hotkey is not null then 'refund: the network created it and then failed it'
      when is_provably_unmade(i.id) then 'provision again, or refund'
      else 'look at the network: attach what was made, or refund'
    end,
    m.held_cents, coalesce(p.received_currency, p.currency)
  from payments p
  cross join lateral payment_money(p) m
  left join prop_accounts a on a.payment_id = p.id
  left join intents i on i.id = a.intent_id
  where p.id = any (array(select k.id from kept k))
    and coalesce(p.paid_at, p.created_at) < now() - make_interval(secs => minutes * 60)
    and m.held_cents > 0
    and (a.id is null or a.status in ('provisioning', 'subaccount_failed')
      or (a.status = 'eliminated' and a.failure_reason = p.stopped_for))
  order by coalesce(p.paid_at, p.created_at)
$$;
comment on function ops.list_paid_without_account is 'Payments older than `minutes` that were neither fulfilled nor refunded.';
