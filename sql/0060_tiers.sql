-- What is for sale. Prices are the server's: a checkout that names another amount is refused.
create table tiers (
  id text primary key constraint tiers_id_readable check (id ~ '^tier_[a-z0-9_]{1,60}$'),
  market text not null,
  asset_class text not null,
  account_size numeric not null constraint tiers_size_possible check (account_size > 0 and account_size <= 100000),
  amount_cents integer not null constraint tiers_price_possible check (amount_cents = 0 or amount_cents between 50 and 99999999),
  currency text not null default 'usd' constraint tiers_currency_lower check (currency ~ '^[a-z]{3}$'),
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on column tiers.account_size is 'USD.';
comment on column tiers.amount_cents is 'Zero: an account of this tier is free, one per user. The processor takes no less than 50.';

-- The verdict on what a buyer named, against the tier: null where they agree.
create function tier_verdict(item jsonb, is_free boolean) returns text
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
