-- Stores members of an intent's result sealed. Returns the orders that are no longer open by this: none.
create or replace function record_sealed_result(intent uuid, members bytea) returns uuid[]
language sql as $$
  insert into sealed_results (intent_id, sealed)
  values (intent, members);

  select '{}'::uuid[]
$$;
