-- Records what an operator did, in the transaction of the action.
create or replace function record_action(
  by_operator text, did text, about text, of_payment text, of_account text, because text, came_of_it jsonb
) returns void
language sql as $$
  insert into operator_actions (operator, action, subject, payment_id, prop_account_id, why, detail)
  values (by_operator, did, about, of_payment, of_account, because, came_of_it)
$$;
