-- At once, in the transaction that moved the money: a line takes no lock that others wait for.
create trigger payouts_state after update of transferred_cents, reversed_cents on payouts
  for each row execute function state_payout();
