-- Outside a transaction
-- The executions of an order whose trader has changed it at the exchange: each change gives it another number under the same client order id.
drop index concurrently if exists exchange_fills_by_client_order;

create index concurrently exchange_fills_by_client_order on exchange_fills (ex_wallet, cloid, trade_id)
where cloid is not null;
