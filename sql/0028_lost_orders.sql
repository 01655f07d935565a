create table lost_orders (
  id uuid primary key,
  found_at timestamptz not null default now()
);

comment on table lost_orders is
  'Orders that a venue had when this database was recovered from a backup, and this database did not: their requests are lost. A retry under the same id is looked for and never sent.';
comment on column lost_orders.id is 'The id of the order at its venue: the id of the intent that was lost.';
comment on column lost_orders.found_at is 'When the venue was read.';
