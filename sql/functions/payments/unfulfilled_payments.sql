-- Payments older than 10 minutes whose money is kept without a service for it (list_unfulfilled_payments). Normally empty: it is an alert.
create or replace view unfulfilled_payments as select * from list_unfulfilled_payments(10);
comment on view unfulfilled_payments is 'Payments older than 10 minutes whose money is kept without a service for it. Normally empty.';
