-- Records funding payments of a wallet, each once: [{coin, at_ms, amount_usd, size, rate}], read up to a time. Emits each to every partner that had
-- enrolled the wallet by then, as the last step of its statement. Returns how many are new. Locks the cursor, then event logs in the order of their
-- owners.
create or replace function record_exchange_funding(wallet text, payments jsonb, up_to timestamptz) returns integer
language plpgsql as $$
declare
  added exchange_funding[];
  follower record;
  told jsonb[];
begin
  update exchange_cursors c
  set funding_read_to = greatest(c.funding_read_to, up_to)
  where c.ex_wallet = wallet;
  with paid as (
    insert into exchange_funding as f (ex_wallet, coin, paid_at, amount_usd, size, rate)
    select wallet, p.coin, to_timestamp(p.at_ms / 1000.0), p.amount_usd, p.size, p.rate
    from jsonb_to_recordset(payments) as p (coin text, at_ms bigint, amount_usd numeric, size numeric, rate numeric)
    order by p.at_ms, p.coin
    on conflict on constraint exchange_funding_pkey do nothing
    returning f as row
  )
  select array_agg(p.row) into added
  from paid p;
  for follower in
    select *
    from wallet_followers(wallet)
  loop
    select array_agg(jsonb_build_object(
      'venue', 'exvenue',
      'trader_id', wallet,
      'pair', exchange_pair(a.coin),
      'side', case when a.size > 0 then 'long' else 'short' end,
      'size', trim_scale(abs(a.size))::text,
      'rate', trim_scale(a.rate)::text,
      'amount_usd', trim_scale(a.amount_usd)::text,
      'at', to_char(a.paid_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    ) order by a.paid_at, a.coin) into told
    from unnest(added) a
    where a.paid_at >= follower.enrolled_at;
    if told is not null then
      perform emit_events(follower.owner, 'funding.settled', told);
    end if;
  end loop;
  return coalesce(cardinality(added), 0);
end $$;
