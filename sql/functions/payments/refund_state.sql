-- The state of the newest refund that an operator requested: under_way, unknown (the processor never reported its effect), or ended: also
-- once nothing is left that it could take. Null: none was requested.
create or replace function refund_state(of_payment text) returns text
language sql stable as $$
  select case
    when m.refunded_cents >= m.received_cents then 'ended'
    when i.settled_at is null then 'under_way'
    when is_undecided(i.outcome) then 'unknown'
    else 'ended'
  end
  from payments p
  cross join lateral payment_money(p) m
  join intents i on i.id = p.refund_intent_id
  where p.id = of_payment
$$;
