-- Throws if the operator or the reason is missing.
create or replace function ops.require_who_and_why(who text, why text) returns void
language plpgsql immutable as $$
begin
  if coalesce(who, '') !~ '\S' or coalesce(why, '') !~ '\S' then
    raise exception 'say who you are and why you do it' using errcode = 'invalid_parameter_value';
  end if;
end $$;
comment on function ops.require_who_and_why is 'Internal to the kit.';
