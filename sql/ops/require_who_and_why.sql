-- Throws if the operator or the reason is missing, or for a role whose name reads like an operator's over HTTP. The transaction may then pause for
-- 2 s at most: orders of everyone wait for what it locks, so the server ends the session of one that is left open, and nothing of it is done.
create or replace function ops.require_who_and_why(who text, why text) returns void
language plpgsql as $$
begin
  if coalesce(who, '') !~ '\S' or coalesce(why, '') !~ '\S' then
    raise exception 'say who you are and why you do it' using errcode = 'invalid_parameter_value';
  elsif session_user like 'admin:%' then
    raise exception 'connect as a role whose name does not start with admin:' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('idle_in_transaction_session_timeout', '2s', true);
end $$;
comment on function ops.require_who_and_why is 'Internal to the kit.';
