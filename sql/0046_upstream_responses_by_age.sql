-- Outside a transaction
-- What is past its retention, one row for each order that the exchange has told of.
drop index concurrently if exists upstream_responses_by_age;

create index concurrently upstream_responses_by_age on upstream_responses (read_at);
