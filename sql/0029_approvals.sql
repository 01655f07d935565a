create table approvals (
  id text primary key,
  operation text not null,
  subject text,
  digest bytea not null,
  summary jsonb not null,
  reason text,
  role text not null,
  requested_by text not null references admins (id),
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by text references admins (id) constraint approvals_by_another check (decided_by <> requested_by),
  decided_at timestamptz,
  decision text constraint approvals_decision_known check (decision in ('approved', 'rejected')),
  decided_because text,
  used_at timestamptz,
  constraint approvals_decided_whole check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  constraint approvals_used_approved check (used_at is null or decision is not distinct from 'approved')
);

comment on table approvals is
  'Requests of operators that need another operator''s approval. An approved one permits one execution of exactly this request by who made it.';
comment on column approvals.digest is 'SHA-256 of the request and of who made it.';
comment on column approvals.summary is 'The parts of the request, as shown to who decides. Contains no secret.';
comment on column approvals.role is 'The role that the request needs. Who decides must have it.';

create index approvals_unused on approvals (digest) where used_at is null;
create index approvals_by_time on approvals (requested_at);
