-- Records funding payments of a wallet, each once: [{coin, at_ms, amount_usd, size, rate}], read up to a time. Emits each to every partner that has
-- enrolled the wallet, as the last step of its statement. Returns how many are new. Locks the cursor, then event logs in the order of their owners.
create or replace function record_exchange_funding(wallet text, payments jsonb, up_to timestamptz) returns integer
language plpgsql as $$
declare
  added jsonb[];
  follower text;
begin
  update exchange_cursors c
  set funding_read_to = greatest(c.funding_read_to, up_to)
  where c.ex_wallet = wallet;
  with paid as (
    insert into exchange_funding (ex_wallet, coin, paid_at, amount_usd, size, rate)
    select wallet, p.coin, to_timestamp(p.at_ms / 1000.0), p.amount_usd, p.size, p.rate
    from jsonb_to_recordset(payments) as p (coin text, at_ms bigint, amount_usd numeric, size numeric, rate numeric)
    order by p.at_ms, p.coin
    on conflict on constraint exchange_funding_pkey do nothing
    returning *
  )
  select array_agg(jsonb_build_object(
    'venue', 'exvenue',
    'trader_id', wallet,
    'pair', p.coin || '-USDC',
    'side', case when p.size > 0 then 'long' else 'short' end,
    'size', trim_scale(abs(p.size))::text,
    'rate', trim_scale(p.rate)::text,
    'amount_usd', trim_scale(p.amount_usd)::text,
    'at', to_char(p.paid_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by p.paid_at, p.coin) into added
  from paid p;
  if added is null then
    return 0;
  end if;
  for follower in
    select e.owner
    from enrollments e
    join partners p on p.id = e.owner
    where e.ex_wallet = wallet
    order by e.owner
  loop
    perform emit_events(follower, 'funding.settled', added);
  end loop;
  return cardinality(added);
end $$;
