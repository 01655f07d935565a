-- Outside a transaction
-- The requests of a busy caller by operation, and those that failed.
drop index concurrently if exists api_requests_by_operation;

create index concurrently api_requests_by_operation on api_requests (owner, operation, id);

drop index concurrently if exists api_requests_failed;

create index concurrently api_requests_failed on api_requests (owner, id)
where status >= 400;
