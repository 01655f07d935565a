create table own_networks (
  setting text primary key,
  network text not null,
  known_since timestamptz not null default now()
);

comment on table own_networks is
  'The network of the exchange and the chain of the registrar at which the orders and purchases of this database are. No process with another one '
  'starts.';
comment on column own_networks.setting is 'The setting that names it.';
comment on column own_networks.network is 'The first that a process has noted; after a deliberate move, delete the row.';
