alter table registrations add column absent_since timestamptz, add column absent_at timestamptz;

comment on column registrations.absent_since is
  'Since when the registrar, each time it responded, did not know the registration. What passes while nobody asks, or it does not respond, is no '
  'part of it.';
comment on column registrations.absent_at is 'When it last responded so.';
