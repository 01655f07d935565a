create table prop_accounts (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  tier_id text not null references tiers (id),
  payment_id text constraint prop_accounts_one_per_payment unique references payments (id),
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  status text not null constraint prop_accounts_status_known
    check (status in ('provisioning', 'evaluation', 'funded', 'eliminated', 'subaccount_failed')),
  failure_reason text,
  breach jsonb,
  intent_id uuid constraint prop_accounts_one_per_intent unique,
  synthetic_hotkey text constraint prop_accounts_one_per_subaccount unique references subaccounts (synthetic_hotkey),
  upstream_status text,
  upstream_bucket text,
  synced_at timestamptz,
  sync_after timestamptz not null default now(),
  created_at timestamptz not null default now(),
  status_at timestamptz not null default now(),
  abandoned_at timestamptz,
  abandoned_by text,
  abandoned_why text,
  constraint prop_accounts_tradeable_has_subaccount
    check (status not in ('evaluation', 'funded') or synthetic_hotkey is not null),
  constraint prop_accounts_abandoned_whole
    check ((abandoned_at is null) = (abandoned_by is null) and (abandoned_at is null) = (abandoned_why is null)),
  constraint prop_accounts_abandoned_failed check (abandoned_at is null or status = 'subaccount_failed')
);

comment on table prop_accounts is 'Prop accounts of end users: at most one per paid payment, and at most one ever per user and free tier.';
comment on column prop_accounts.failure_reason is 'Why it never became tradeable, or why it was stopped: a code of this service or of the network.';
comment on column prop_accounts.breach is
  'Of an account that the network eliminated: the rule that it broke and its figures there, in percent. Null: the network showed none that was '
  'broken.';
comment on column prop_accounts.intent_id is 'The intent that creates its subaccount. Null if the money was returned before one was requested.';
comment on column prop_accounts.sync_after is 'The sweep syncs it again after this time.';
comment on column prop_accounts.abandoned_at is
  'An operator has resolved the case: the account is never created, and no list of failed accounts shows it.';

create unique index prop_accounts_one_free on prop_accounts (user_id, tier_id) where payment_id is null;
create index prop_accounts_failed on prop_accounts (owner, created_at) where status = 'subaccount_failed';
create index prop_accounts_unfulfilled on prop_accounts (created_at)
  where payment_id is not null and status in ('provisioning', 'subaccount_failed');
create index prop_accounts_due on prop_accounts (sync_after)
  where status in ('provisioning', 'evaluation', 'funded') and synthetic_hotkey is not null;
create index prop_accounts_of_user on prop_accounts (user_id, created_at);
