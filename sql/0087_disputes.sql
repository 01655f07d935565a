-- Outside a transaction

drop index concurrently if exists payment_losses_disputes;

create index concurrently payment_losses_disputes on payment_losses (status) where kind = 'dispute';
