create or replace function ops.list_stranded_payouts() returns table (
  payout_id text, app_id text, user_id text, prop_account_id text, processor_account_id text, processor_transfer_id text, status text,
  amount_cents integer, transferred_cents integer, reversed_cents integer, currency text, failure_reason text, since timestamptz,
  safe_action text, step text, step_state text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with twice as materialized (
    select distinct k.payout_id
    from payout_steps k
    join payout_steps o on o.payout_id = k.payout_id and o.position > k.position and o.step = 'payout' and o.state in ('sent', 'done')
    where k.kept_from is not null and k.state = 'done'
  ), stranded as materialized ( -- selected first: reading the ledger for all payouts on their way would take long
    select p, l.s, t.payout_id is not null as is_twice
    from payouts p
    left join lateral (
      select o
      from payout_steps o
      where o.payout_id = p.id
      order by o.position desc
      limit 1
    ) l (s) on true
    left join twice t on t.payout_id = p.id
    where p.id in (
      select u.payout_id
      from payout_steps u
      where u.state = 'unknown'
      union
      select q.id
      from payouts q
      where q.status in ('failed', 'transferred') and q.processor_transfer_id is not null
      union
      select w.payout_id
      from twice w
    )
      and (t.payout_id is not null or (l.s).state in ('unknown', 'failed') or p.status = 'failed' or p.submitted_at < now() - interval '7 days')
  )
  select p.id, p.owner, p.user_id, p.prop_account_id, c.processor_account_id, p.processor_transfer_id, p.status, p.amount_cents,
    m.transferred_cents, m.reversed_cents, p.currency, p.failure_reason, coalesce(s.ended_at, s.created_at, p.requested_at),
    case
      when r.is_twice then 'let the processor take the later payout back: the bank has kept the earlier one, which was sent again'
      when s.state = 'unknown'
        then 'look up: the effect of the ' || case s.step when 'payout' then 'payout to the bank' else s.step end || ' is unknown'
      when s.state = 'failed' or (s.state = 'unsent' and p.status = 'failed') then 'submit again, or reverse'
      when p.delayed_since is not null then 'wait: ' || p.delayed_for || '; or reverse'
      when p.pay_after is not null then 'wait: the money is not available at the payout account yet; or reverse'
      else 'look at the processor: the bank has not reported the payout'
    end,
    s.step, s.state
  from stranded r
  cross join lateral (select (r.p).*) p
  cross join lateral (select (r.s).*) s
  join connect_accounts c on c.id = p.connect_account_id
  cross join lateral payout_money(r.p) m
  order by 13
$$;
comment on function ops.list_stranded_payouts is 'The rows of ops.stranded_payouts.';
