-- Amount and currency of the payout to the bank that the bank has, else of the newest that the processor has of a payout. No row: it has none.
create or replace function bank_leg_of(payout text) returns table (amount_cents bigint, currency text)
language sql stable as $$
  select s.amount_cents, s.currency
  from payout_steps s
  where s.payout_id = payout and s.step = 'payout' and s.processor_id is not null
  order by s.state = 'done' desc, s.position desc
  limit 1
$$;
