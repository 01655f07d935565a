-- Outside a transaction
-- Payouts that a bank has kept: the list of stranded payouts looks for those that were sent again.
drop index concurrently if exists payout_steps_kept;

create index concurrently payout_steps_kept on payout_steps (payout_id) where kept_from is not null;
