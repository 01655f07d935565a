alter table payouts add column emitted_failure text;

comment on column payouts.emitted_failure is 'The failure that the last event reported. Null: none since it was last completed.';
