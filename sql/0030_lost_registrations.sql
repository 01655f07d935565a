create table lost_registrations (
  tx_hash text primary key constraint lost_registrations_hash_lower check (tx_hash = lower(tx_hash)),
  payer text not null constraint lost_registrations_payer_lower check (payer = lower(payer)),
  payee text not null,
  units numeric not null,
  found_at timestamptz not null default now(),
  released_at timestamptz
);

create index lost_registrations_by_payer on lost_registrations (payer) where released_at is null;

comment on table lost_registrations is
  'Payments to the registrar that the chain showed when this database was recovered from a backup, and this database did not: also those of other software. Their payer buys nothing more until an operator releases them.';
comment on column lost_registrations.tx_hash is 'The payment on chain.';
comment on column lost_registrations.units is 'In the token''s smallest unit.';
comment on column lost_registrations.found_at is 'When the chain was last read.';
comment on column lost_registrations.released_at is 'When an operator found what the payment was for. Null: its payer''s purchases are rejected.';

alter table operator_actions drop constraint operator_actions_known;
alter table operator_actions add constraint operator_actions_known check (action in (
  'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
  'resolve_payout', 'move_link', 'release_registration'
));
