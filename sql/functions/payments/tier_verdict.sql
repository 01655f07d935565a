-- The verdict on a buyer's choice compared with the tier. Null if they agree, else the first that holds: tier_unknown (or no longer sold) |
-- tier_not_free | tier_free (of a checkout) | tier_mismatch (market, class or size) | amount_mismatch (price or currency).
create or replace function tier_verdict(item jsonb, is_free boolean) returns text
language sql stable as $$
  select case
    when t.id is null or not t.active then 'tier_unknown'
    when is_free and t.amount_cents > 0 then 'tier_not_free'
    when not is_free and t.amount_cents = 0 then 'tier_free'
    when coalesce(item ->> 'market', t.market) <> t.market
      or item ->> 'asset_class' <> t.asset_class
      or (item ->> 'account_size')::numeric <> t.account_size then 'tier_mismatch'
    when not is_free and ((item ->> 'amount_cents')::numeric <> t.amount_cents or item ->> 'currency' <> t.currency) then 'amount_mismatch'
  end
  from (values (item ->> 'tier_id')) as wanted (id)
  left join tiers t on t.id = wanted.id
$$;
