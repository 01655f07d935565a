-- Counts one use of a mailed code and compares it. It is one update, so no use is compared without being counted. A right code may be used
-- until its attempts are spent: the authenticator code beside it may be wrong. False: wrong, expired or spent.
create or replace function try_login_code(for_user text, of_scope bytea, hmacs bytea[]) returns boolean
language plpgsql as $$
declare
  matched boolean;
begin
  update login_codes c
  set attempts_left = c.attempts_left - 1
  where c.user_id = for_user and c.scope = of_scope and c.attempts_left > 0 and c.expires_at > now()
  returning c.hmac = any(hmacs) into matched;
  return coalesce(matched, false);
end $$;
