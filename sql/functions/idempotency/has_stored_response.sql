-- Whether a caller has used an Idempotency-Key for a write whose response is stored, or is being made (reserve_key). Such a key is no intent's.
create or replace function has_stored_response(of_caller text, of_key text) returns boolean
language sql stable as $$
  select exists (select from idempotent_responses r where r.caller = of_caller and r.key = of_key)
$$;
