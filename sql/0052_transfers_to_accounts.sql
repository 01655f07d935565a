-- Outside a transaction
alter table connect_accounts add column if not exists transfers_enabled boolean not null default true;

comment on column connect_accounts.transfers_enabled is
  'Whether the platform may transfer money to it; the processor decides that apart from whether its money is paid out.';

drop index concurrently if exists connect_accounts_untransferable;

create index concurrently connect_accounts_untransferable on connect_accounts (created_at) where not transfers_enabled;
