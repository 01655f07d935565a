-- Whether it is proven that an account's subaccount was never created: its creation ended unsent, the network rejected it, or a search of
-- all subaccounts at the network found nothing. An ambiguous search proves nothing.
create or replace function is_provably_unmade(of_intent uuid) returns boolean
language sql stable as $$
  select i.state = 'expired'
    or (i.state = 'failed' and i.outcome -> 'problem' ->> 'code' in ('VENUE_REJECTED', 'VENUE_AUTH', 'NOT_CARRIED_OUT', 'V2_ACCOUNT_STOPPED'))
  from intents i
  where i.id = of_intent
$$;
