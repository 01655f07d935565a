-- Outside a transaction: one statement after another, each of which lets the old code go on writing.

-- Deliveries that were given up, newest first, however many arrived.
drop index concurrently if exists webhook_deliveries_dead;
create index concurrently webhook_deliveries_dead on webhook_deliveries (id) where state in ('failed', 'cancelled');

-- The newest entries, whoever made them.
drop index concurrently if exists admin_audit_by_time;
create index concurrently admin_audit_by_time on admin_audit (at);
