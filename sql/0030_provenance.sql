alter table mails add column tenant text;

comment on column mails.tenant is 'The app or partner in whose name it is sent, or whose contact it informs. While that is disabled, it waits.';

alter table trader_keys add column made_in_session text;

comment on column trader_keys.made_in_session is 'The session that created the key. It may have been deleted since.';
comment on column trader_keys.session_id is 'The same, as the previous release writes it.';

alter table connect_accounts
  add column made_in_session text,
  add column destination_at timestamptz not null default '-infinity',
  add column detached_at timestamptz,
  add column detached_because text,
  drop constraint connect_accounts_one_per_user,
  add constraint connect_accounts_reason_known check (detached_because in ('user', 'operator', 'quarantine')) not valid,
  add constraint connect_accounts_detached_has_reason check ((detached_at is null) = (detached_because is null)) not valid;

alter table connect_accounts alter column destination_at set default now();

comment on table connect_accounts is 'Accounts at the processor that receive traders'' payouts: one per user, and those that were detached.';
comment on column connect_accounts.made_in_session is 'The session that opened it. It may have been deleted since.';
comment on column connect_accounts.destination_at is 'When its money began to go where it goes now: it was opened, or the processor showed another bank account.';
comment on column connect_accounts.detached_at is 'No payout goes there any more. The user may open another account.';

create unique index connect_accounts_one_per_user on connect_accounts (user_id) where detached_at is null;

alter table payouts add column made_in_session text;

comment on column payouts.made_in_session is 'The session that requested it. It may have been deleted since.';
comment on column apps.require_reauthentication is 'Whether users must have proven their password within 5 minutes before they create a trader key, change their authenticator, or open or change a payout account or submit a payout.';

alter table operator_actions drop constraint operator_actions_known;
alter table operator_actions add constraint operator_actions_known check (action in (
  'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
  'resolve_payout', 'move_link', 'release_registration', 'dismiss_event', 'detach_payout_account'
)) not valid;
