create table processor_accounts (
  id text not null,
  is_live boolean not null,
  known_since timestamptz not null default now(),
  primary key (id, is_live)
);

comment on table processor_accounts is
  'The account at the processor in which the payments and payouts of this database are. A process whose key is of another one sends nothing there.';
comment on column processor_accounts.id is 'Its id at the processor. The first that a process has noted; after a move, delete the former.';
comment on column processor_accounts.is_live is 'Whether it is used with live keys: what is made with test keys is apart.';
