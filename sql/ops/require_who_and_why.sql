-- Throws if the operator or the reason is missing, or for a role whose name reads like an operator's over HTTP. The transaction may then be idle for
-- at most 2 s, because everyone's orders wait for its locks: the server ends the session of a longer one and undoes it.
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
