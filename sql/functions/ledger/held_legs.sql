-- The legs that bring an amount from another account to what a payout holds at its account, or take it from there. What arrives covers first what
-- is overdrawn; what is taken beyond what is held is overdrawn.
create or replace function held_legs(of_subject text, other text, of_currency text, amount bigint) returns jsonb
language sql stable as $$
  select jsonb_build_array(
    leg(other, 'held', of_currency, greatest(b.total + amount, 0) - greatest(b.total, 0)),
    leg(other, 'overdrawn', of_currency, least(b.total + amount, 0) - least(b.total, 0)))
  from (values (ledger_sum(of_subject, '{held,overdrawn}', of_currency))) as b (total)
$$;
