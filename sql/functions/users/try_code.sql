-- Counts one attempt, compares the code and spends it if it matches. It is one update, so no attempt is compared without being counted, and
-- a code works once. Verdicts: expired (no code is valid) | wrong | verified.
create or replace function try_code(app text, address text, hmacs bytea[]) returns text
language plpgsql as $$
declare
  matched boolean;
begin
  update one_time_codes c
  set attempts_left = c.attempts_left - 1,
    used_at = case when c.hmac = any(hmacs) then now() end
  where c.app_id = app and c.email = address
    and c.used_at is null and c.attempts_left > 0 and c.expires_at > now()
  returning c.used_at is not null into matched;
  return case when matched is null then 'expired' when matched then 'verified' else 'wrong' end;
end $$;
