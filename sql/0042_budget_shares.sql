alter table request_budgets add column uses jsonb not null default '{}';

comment on column request_budgets.uses is 'What each tenant has spent beyond its share at counted_at. It falls by the share.';
