alter table connect_accounts add column transfers_enabled boolean not null default true;

comment on column connect_accounts.transfers_enabled is
  'Whether the platform may transfer money to it; the processor decides that apart from whether its money is paid out.';
