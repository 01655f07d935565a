-- Compares the ledger with the changes of the platform's balance, for every payment and payout whose money moved after `since` or that differed
-- before, and stores those that differ. Left out: those from before the first proof, those whose money moved in the last `minutes` and may still be
-- under way (before `until`; null: the newest reading), and payments that their banks have not decided: the processor books these when they begin
-- and takes them back if they fail (docs.stripe.com/reports/balance-transaction-types, payment_failure_refund).
create or replace function prove_platform(since timestamptz, minutes double precision, until timestamptz default null) returns void
language sql as $$
  with concerned as materialized (
    select b.subject from balance_changes b where b.said_at >= prove_platform.since
    union
    select t.subject from ledger_transactions t where t.said_at >= prove_platform.since
    union
    select d.subject from balance_differences d
  ), sums as materialized (
    select c.subject, m.currency, sum(m.posted)::bigint as posted, sum(m.shown)::bigint as shown, max(m.said_at) as moved_at
    from concerned c
    cross join lateral (
      select l.currency, l.amount as posted, 0 as shown, l.said_at
      from ledger_lines l
      where l.subject = c.subject and l.account = 'platform'
      union all
      select b.currency, 0, b.amount - b.fee, b.said_at
      from balance_changes b
      where b.subject = c.subject
    ) m
    left join payments p on p.id = c.subject
    left join payouts o on o.id = c.subject
    join balance_proofs r on coalesce(p.created_at, o.requested_at) > r.since
    where p.status is distinct from 'processing'
    group by c.subject, m.currency
  ), agreed as (
    delete from balance_differences d
    using sums s
    where s.subject = d.subject and s.currency = d.currency and s.posted = s.shown
  )
  insert into balance_differences as d (subject, currency, posted, shown)
  select s.subject, s.currency, s.posted, s.shown
  from sums s
  join balance_proofs r on s.moved_at < coalesce(prove_platform.until, r.read_until) - make_interval(secs => minutes * 60)
  where s.posted <> s.shown
  on conflict (subject, currency) do update set posted = excluded.posted, shown = excluded.shown
$$;
