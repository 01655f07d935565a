-- What payouts take of the earnings of these accounts, without money that came back or never left, and without the payout `besides`. A transfer
-- that was lost with a backup counts once: in its payout, or, where that was lost too or takes nothing, against the accounts of its receiver, also
-- where the receiver's account at the processor was lost as well.
create or replace function reserved_cents_of(accounts text[], besides text default null) returns bigint
language sql stable as $$
  select (
    select coalesce(sum(m.reserved_cents), 0)
    from payouts p
    cross join lateral payout_money(p) m
    where p.prop_account_id = any(accounts) and p.id is distinct from besides
  )::bigint + (
    select coalesce(sum(l.amount_cents), 0)
    from lost_money l
    left join connect_accounts c on c.processor_account_id = l.processor_account_id
    where l.kind = 'transfer'
      and not exists (
        select
        from payouts p
        cross join lateral payout_money(p) m
        where p.id = l.subject_id and (p.processor_transfer_id = l.processor_id or m.reserved_cents > 0)
      )
      and exists (
        select
        from prop_accounts a
        where a.id = any(accounts) and a.user_id = coalesce(c.user_id, l.user_id)
      )
  )::bigint
$$;
