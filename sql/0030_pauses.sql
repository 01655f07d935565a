create table pauses (
  subject text primary key,
  holds_exits boolean not null default false,
  reason text not null,
  paused_by text not null,
  paused_at timestamptz not null default now()
);

comment on table pauses is
  'Upstreams to which, and partners and apps for which, nothing new is sent until an operator ends it. What was sent goes on.';
comment on column pauses.subject is 'An upstream as in intent_kinds, a partner or an app.';
comment on column pauses.holds_exits is 'Whether it also holds what reduces a risk: cancellations, closes, protection.';
