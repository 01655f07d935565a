-- Stores changes of the platform's balance that are of our payments and payouts, each once, and posts what comes with them: the fee, and the
-- exchange where the balance has another currency than what was made. Returns how many were new. Locks nothing but what it writes.
-- Change: id, objectId, cents, feeCents, currency, madeCents, madeCurrency, rate, atMs.
create or replace function take_balance_changes(batch jsonb, since timestamptz, until timestamptz) returns bigint
language plpgsql as $$
declare
  taken bigint := 0;
  c record;
begin
  for c in
    select b.*, s.id as subject, s.owner, to_timestamp(b."atMs" / 1000) as said_at
    from jsonb_to_recordset(batch) as b (
      id text, "objectId" text, cents bigint, "feeCents" bigint, currency text, "madeCents" bigint, "madeCurrency" text, rate numeric,
      "atMs" double precision
    )
    cross join lateral (
      select p.id, p.owner from payments p where p.processor_payment_intent_id = b."objectId"
      union all
      select p.id, p.owner from payouts p where p.processor_transfer_id = b."objectId"
    ) s
    order by b."atMs", b.id
  loop
    insert into balance_changes (id, subject, amount, fee, currency, exchange_rate, said_at)
    values (c.id, c.subject, c.cents, c."feeCents", c.currency, c.rate, c.said_at)
    on conflict do nothing;
    continue when not found;
    taken := taken + 1;
    perform post_entries(c.subject, c.owner, 'fee', c.id, c.said_at, null, jsonb_build_array(leg('platform', 'fees', c.currency, c."feeCents")));
    if c."madeCurrency" <> c.currency then
      perform post_entries(c.subject, c.owner, 'exchange', c.id, c.said_at, null, jsonb_build_array(
        leg('platform', 'exchange', c."madeCurrency", c."madeCents"), leg('exchange', 'platform', c.currency, c.cents)));
    end if;
  end loop;
  insert into balance_proofs as p (since, read_until)
  values (since, until)
  on conflict (only_row) do update set read_until = greatest(p.read_until, excluded.read_until);
  return taken;
end $$;
