-- One transaction may pay for several payers; each of them buys nothing more until its payment is released.
alter table lost_registrations
  drop constraint lost_registrations_pkey,
  add constraint lost_registrations_pkey primary key (tx_hash, payer);

comment on column lost_registrations.tx_hash is 'The transaction on chain. It may pay for several payers.';
comment on column lost_registrations.units is 'What the payer paid in it, in the token''s smallest unit.';
