-- Writes the statement line of a transaction of the ledger by which the platform received money of a payment or payout, or gave it away. Fees and
-- rates are the platform's own.
create or replace function state_money(of_transaction bigint) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, account, user_id, reference, amount, currency)
  select sortable_id('stl'), l.owner, case l.transaction_kind when 'transfer' then 'payout' else 'payment' end,
    case l.transaction_kind
      when 'payment' then 'received'
      when 'refund' then 'refunded'
      when 'dispute' then case when l.amount < 0 then 'disputed' else 'won_back' end
      else case when l.amount < 0 then 'transferred' else 'reversed' end
    end, l.recorded_at, o.prop_account_id, coalesce(p.user_id, o.user_id), l.subject, l.amount, l.currency
  from ledger_lines l
  left join payments p on p.id = l.subject
  left join payouts o on o.id = l.subject
  where l.transaction_id = of_transaction and l.account = 'platform' and l.transaction_kind in ('payment', 'refund', 'dispute', 'transfer')
$$;
