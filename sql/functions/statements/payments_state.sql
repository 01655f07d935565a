-- At once, in the transaction that moved the money: a line takes no lock that others wait for.
create trigger payments_state after update of received_cents, refunded_cents, disputed_cents, won_back_cents on payments
  for each row execute function state_payment();
