alter table exchange_fills add column exit_of uuid;

comment on column exchange_fills.exit_of is
  'The order or command that placed the executed exit; null for other orders, and for executions that an earlier release recorded.';
