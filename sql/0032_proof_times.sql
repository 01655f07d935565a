alter table upstream_proofs add column answered_at timestamptz not null default '-infinity';

comment on column upstream_proofs.answered_at is
  'When the response to the newest such look-up was here. A request whose response was here before, and is recorded later, takes one off too.';
