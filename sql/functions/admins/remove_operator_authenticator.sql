-- Removes the authenticator of an operator, with the attempts at its codes, ends the sessions, and withdraws the operator's approvals.
-- Verdicts: done | unknown | self.
create or replace function remove_operator_authenticator(operator text, by_operator text) returns text
language plpgsql as $$
declare
  obstacle text := operator_obstacle(operator, by_operator);
begin
  if obstacle is not null then
    return obstacle;
  end if;
  update admins a
  set totp_seed = null, totp_enrolled_at = null, totp_step = null, totp_releases = a.totp_releases + 1
  where a.id = operator;
  perform end_operator_sessions(operator);
  return 'done';
end $$;
