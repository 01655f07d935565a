alter table prop_accounts add column shown_at timestamptz;

comment on column prop_accounts.shown_at is
  'The time of the newest state that the network showed, by its clock. For ten minutes, states that are older change nothing.';
