-- Posts what the account of a payout received by its transfer and gave back by reversals, each once. The caller holds the payout.
-- Movement: id, net (negative: given back), at_ms.
create or replace function post_arrivals(payout text, account text, of_currency text, movements jsonb) returns void
language plpgsql as $$
declare
  m record;
begin
  for m in
    select a.id, a.net, a.at_ms
    from jsonb_to_recordset(movements) as a (id text, net bigint, at_ms double precision)
    where not exists (select from ledger_transactions t where t.kind = 'arrival' and t.source = a.id)
    order by a.at_ms, a.net desc
  loop
    perform post_entries(payout, p.owner, 'arrival', m.id, to_timestamp(m.at_ms / 1000), account, held_legs(payout, 'exchange', of_currency, m.net))
    from payouts p
    where p.id = payout;
  end loop;
end $$;
