-- Accepts checkouts whose data agree with their tier. Verdicts in addition to those of accept_intents: tier_unknown | tier_free |
-- tier_mismatch | amount_mismatch. A repeat with a spent key is judged by accept_intents alone, because the tier may have changed since.
-- Item: as for accept_intents, and payment_id, user_id, tier_id, market, asset_class, account_size, amount_cents, currency.
create or replace function accept_checkouts(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  judged jsonb;
begin
  select jsonb_agg(b.item || jsonb_build_object('verdict', case when not was_accepted(b.item) then tier_verdict(b.item, false) end))
  into judged
  from jsonb_array_elements(batch) as b (item);

  return query
  select (j.item ->> 'n')::integer, (j.item ->> 'id')::uuid, j.item ->> 'verdict'
  from jsonb_array_elements(judged) as j (item)
  where j.item ->> 'verdict' is not null;

  return query
  with verdicts as materialized (
    select a.n, a.intent_id, a.verdict
    from accept_intents((
      select coalesce(jsonb_agg(j.item), '[]')
      from jsonb_array_elements(judged) as j (item)
      where j.item ->> 'verdict' is null
    )) a
  ), written as (
    insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
    select i.payment_id, i.owner, i.user_id, i.tier_id, i.market, i.asset_class, i.account_size, i.amount_cents::integer, i.currency, i.id
    from jsonb_to_recordset(judged) as i (
      n integer, id uuid, owner text, payment_id text, user_id text, tier_id text, market text, asset_class text,
      account_size numeric, amount_cents numeric, currency text
    )
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;
