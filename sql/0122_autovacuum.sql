-- Every intent is written four times, and few of them are open: what is dead among those few is cleared long before a fifth of the
-- whole table has changed, and the planner hears of new rows before there are a hundred thousand of them.
alter table intents set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);
alter table orders set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);
alter table webhook_deliveries set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);

-- Small tables whose rows change with every order or delivery.
alter table lanes set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
alter table webhook_endpoints set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table event_logs set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
