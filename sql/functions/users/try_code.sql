-- Counts one attempt and compares the code, which verify_by_code spends. It is one update, so no attempt is compared without being counted. Each
-- network has `of_network` of the attempts, so that a stranger does not use up those of the owner. Verdicts: expired (no code is valid for this
-- network) | wrong | verified.
create or replace function try_code(app text, address text, hmacs bytea[], of_network integer, network bytea) returns text
language plpgsql as $$
declare
  place constant text := encode(network, 'hex');
  matched boolean;
begin
  update one_time_codes c
  set attempts_left = c.attempts_left - 1,
    tries = c.tries || jsonb_build_object(place, coalesce((c.tries ->> place)::integer, 0) + 1)
  where c.app_id = app and c.email = address
    and c.used_at is null and c.attempts_left > 0 and c.expires_at > now()
    and coalesce((c.tries ->> place)::integer, 0) < of_network
  returning coalesce(c.hmac = any(hmacs), false) into matched;
  return case when matched is null then 'expired' when matched then 'verified' else 'wrong' end;
end $$;
