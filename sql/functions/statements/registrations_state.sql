-- At once, in the transaction that stored the payment.
create trigger registrations_state after update of tx_hash on registrations
  for each row execute function state_registration();
