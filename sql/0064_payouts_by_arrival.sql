-- Outside a transaction
-- The payout whose payment a trader's account has received: searched for by operators.
drop index concurrently if exists payouts_by_arrival;

create index concurrently payouts_by_arrival on payouts (arrival_id) where arrival_id is not null;

comment on column prop_accounts.upstream_status is 'What the network said when it was read last: shown to operators, and decides nothing.';

comment on column prop_accounts.upstream_bucket is 'Whether it was in its challenge or funded there. Like upstream_status.';
