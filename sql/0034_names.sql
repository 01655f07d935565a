alter table payouts add column emitted_reversed_cents integer not null default 0;

comment on column payouts.emitted_reversed_cents is 'The part of reversed_cents that events have reported.';
comment on column payouts.told_reversed_cents is 'Unused; the next release drops it. See emitted_reversed_cents.';

-- A reversal that the previous release records after this statement is reported once more when its payout is settled again.
update payouts
set emitted_reversed_cents = told_reversed_cents
where told_reversed_cents > 0;

alter index intents_doubtful rename to intents_in_doubt;
