-- Writes the statement lines of what was executed: by verbs that have ended (verb_fill), and of network orders that are no longer open because they
-- were filled (order_fill). The network signs quantities. A fill is stated once, whoever reports it. The executions of resting orders at the
-- exchange are stated by state_exchange_fills.
create or replace function state_fills(fills jsonb) returns void
language plpgsql as $$
begin
  if fills = '[]' then
    return;
  end if;
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, side, quantity, price, progress)
  select statement_id(f.owner, 'fill', f.account, f.reference, p.progress, f.subject), f.owner, 'fill', 'executed', clock_timestamp(), f.venue,
    f.account, f.reference, f.pair,
    case when f.side <> 'FLAT' or coalesce(f.quantity, 0) = 0 then f.side when f.quantity > 0 then 'LONG' else 'SHORT' end, abs(f.quantity),
    f.price, p.progress
  from jsonb_to_recordset(fills) as f (
    owner text, venue text, account text, subject uuid, reference text, pair text, side text, quantity numeric, price numeric
  )
  cross join lateral (select case f.venue when 'exvenue' then coalesce(f.quantity, 0) else 0 end as progress) p
  order by f.reference
  on conflict (id) do nothing;
end $$;
