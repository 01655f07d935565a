alter table orders add column ended_at timestamptz;

comment on column orders.ended_at is
  'When it was found filled, cancelled or ended. Null: it has not been, or it was before this was recorded.';
