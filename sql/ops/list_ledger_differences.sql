create or replace function ops.list_ledger_differences() returns table (
  subject text, app_id text, user_id text, processor_object text, place text, currency text, posted bigint, shown bigint, since timestamptz,
  safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select c.id, c.owner, c.user_id, c.processor_account_id, 'payout_account', r.currency, r.posted, r.shown, r.differs_since,
    case
      when r.shown < r.posted then 'look at the account at the processor for what took money from it, and pay nothing out to it before'
      else 'look at the account at the processor for what came back to it: a payout that the bank returned can be submitted again, or reversed'
    end
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
  left join payouts o on o.id = d.subject
$$;
comment on function ops.list_ledger_differences is 'The rows of ops.ledger_differences.';
