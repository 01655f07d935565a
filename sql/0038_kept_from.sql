alter table payout_steps add column kept_from text;
comment on column payout_steps.kept_from is 'The payout that was to take this one back from the bank, and that the bank refused.';
