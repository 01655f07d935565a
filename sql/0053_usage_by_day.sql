-- Outside a transaction
-- Counts of days that ended long ago, among those of all callers.
drop index concurrently if exists api_usage_by_day;

create index concurrently api_usage_by_day on api_usage (day);
