alter table orders drop constraint orders_lifecycle_known;
alter table orders
  add constraint orders_lifecycle_known check (lifecycle in ('resting', 'filled', 'cancelled', 'ended')) not valid,
  add column absent_since timestamptz;

comment on column orders.absent_since is 'When the venue''s complete records first lacked a resting order that they have not shown since.';
