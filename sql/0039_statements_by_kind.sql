-- Outside a transaction
-- The payments, payouts and fees in a statement of many executions.
drop index concurrently if exists statement_lines_by_kind;

create index concurrently statement_lines_by_kind on statement_lines (owner, kind, at)
where kind <> 'fill';
